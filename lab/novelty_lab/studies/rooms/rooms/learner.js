"use strict";
/* What every drive pays for a step, as in drives.py: one learner of one episode, read in five ways.

     z = D (h(x) - mean_h),   y = target - mean_y,   A = lambda I + sum z z',   B = sum z y',   Q = B B'
     e = y - B' A^-1 z                                   the error before the pair is learned
     surprise   |e|^2 / (2 sigma^2 ln 2),   sigma^2 = lambda
     progress   (|e|^2 - |y|^2 + change of tr(A^-1 Q) + lambda tr(A^-2 Q)) / (2 sigma^2 ln 2)
     raw bits   change of S = 1/2 log2 det(A^2 + Q) - log2 det(A)
     excess     the same, less that of targets s e, s = +1 or -1 at random
     counts     1 / sqrt(visits of the observation's bin)                                          */
(() => {
  const EPSILON = 1e-5; // of the normalization
  const CLIP = 10; // units of an observation
  /* To the nearest whole number, halves to the even one. */
  const rint = (x) => {
    const near = Math.round(x);
    return Math.abs(x % 1) === 0.5 && near % 2 ? near - 1 : near;
  };

  /* L of A = L L', rows of m. */
  function cholesky(a, m) {
    const l = new Float64Array(m * m);
    for (let i = 0; i < m; i++)
      for (let j = 0; j <= i; j++) {
        let sum = a[i * m + j];
        for (let k = 0; k < j; k++) sum -= l[i * m + k] * l[j * m + k];
        l[i * m + j] = i === j ? Math.sqrt(sum) : sum / l[j * m + j];
      }
    return l;
  }
  /* x of L L' x = b. */
  function solve(l, b, m) {
    const x = Float64Array.from(b);
    for (let i = 0; i < m; i++) {
      for (let k = 0; k < i; k++) x[i] -= l[i * m + k] * x[k];
      x[i] /= l[i * m + i];
    }
    for (let i = m - 1; i >= 0; i--) {
      for (let k = i + 1; k < m; k++) x[i] -= l[k * m + i] * x[k];
      x[i] /= l[i * m + i];
    }
    return x;
  }
  const logs = (l, m) => {
    let sum = 0;
    for (let i = 0; i < m; i++) sum += Math.log(l[i * m + i]);
    return sum;
  };
  function product(a, b, m) {
    const c = new Float64Array(m * m);
    for (let i = 0; i < m; i++)
      for (let k = 0; k < m; k++)
        for (let j = 0, v = a[i * m + k]; j < m; j++) c[i * m + j] += v * b[k * m + j];
    return c;
  }
  const square = (v) => v.reduce((sum, x) => sum + x * x, 0);

  /* B and Q of one kind of targets. */
  class Head {
    constructor(m, d) {
      this.m = m;
      this.d = d;
      this.b = new Float64Array(m * d);
      this.q = new Float64Array(m * m);
    }
    /* B' w. */
    read(w) {
      const out = new Float64Array(this.d);
      for (let i = 0; i < this.m; i++)
        for (let j = 0, v = w[i]; j < this.d; j++) out[j] += v * this.b[i * this.d + j];
      return out;
    }
    add(z, y) {
      const { m, d, b, q } = this;
      const power = square(y);
      const v = new Float64Array(m);
      for (let i = 0; i < m; i++) for (let j = 0; j < d; j++) v[i] += b[i * d + j] * y[j];
      for (let i = 0; i < m; i++) {
        for (let j = 0; j < m; j++) q[i * m + j] += v[i] * z[j] + z[i] * v[j] + power * z[i] * z[j];
        for (let j = 0; j < d; j++) b[i * d + j] += z[i] * y[j];
      }
    }
    /* S in bits, from the factor of A and A^2. */
    bits(factor, squared) {
      const whole = squared.map((x, i) => x + this.q[i]);
      return (logs(cholesky(whole, this.m), this.m) - 2 * logs(factor, this.m)) / Math.LN2;
    }
  }

  /* The learner of one episode. */
  class Learner {
    /** @param {LearnerParts} parts */
    constructor(parts) {
      this.parts = parts;
      const m = parts.tables.feature_mean.length;
      const d = parts.tables.target_mean.length;
      this.m = m;
      this.rate = 1 / (2 * parts.ridge_penalty * Math.LN2);
      this.a = new Float64Array(m * m);
      for (let i = 0; i < m; i++) this.a[i * m + i] = parts.ridge_penalty;
      this.factor = cholesky(this.a, m);
      this.targets = new Head(m, d);
      this.errors = new Head(m, d);
      this.raw = this.excess = this.saved = this.learned = 0;
      /** @type {Float64Array[]} */
      this.held = [];
      this.counts = new Map();
    }
    scaled(observation, clip = Infinity) {
      const { unit_mean: mean, unit_sd: sd } = this.parts.tables;
      return Float64Array.from(observation, (v, i) =>
        Math.max(-clip, Math.min(clip, (v - mean[i]) / sd[i])),
      );
    }
    /* The frozen network: layers of elu(normalize(W x + b)). */
    features(x) {
      let h = x;
      for (const [weight, bias] of this.parts.layers) {
        const next = Float64Array.from(bias, (c, o) => {
          let sum = c;
          for (let i = 0; i < h.length; i++) sum += weight[o * h.length + i] * h[i];
          return sum;
        });
        const mean = next.reduce((s, v) => s + v, 0) / next.length;
        const variance = next.reduce((s, v) => s + (v - mean) ** 2, 0) / next.length;
        const scale = 1 / Math.sqrt(variance + EPSILON);
        h = next.map((v) =>
          (v - mean) * scale > 0 ? (v - mean) * scale : Math.expm1((v - mean) * scale),
        );
      }
      return h;
    }
    /** Take the next observation, the first of an episode too; return what each drive pays for it.
     * @param {ArrayLike<number>} observation @returns {Payments} */
    push(observation) {
      const { window } = this.parts;
      const first = this.held.length === 0;
      this.held.push(this.scaled(observation, CLIP));
      /** @type {Payments} */
      const paid = { surprise: 0, progress: 0, epiplexity: 0, excess: 0, counts: 0 };
      if (first) return paid;
      paid.counts = this.visit(observation);
      if (this.held.length <= window) return paid;
      if (this.held.length > window + 1) this.held.shift();
      const following = this.held.slice(1).flatMap((o) => [...o]);
      return { ...paid, ...this.learn(this.held[0], following) };
    }
    visit(observation) {
      const bin = Array.from(this.scaled(observation), rint).join();
      const visits = (this.counts.get(bin) || 0) + 1;
      this.counts.set(bin, visits);
      return 1 / Math.sqrt(visits);
    }
    learn(x, target) {
      const { m, parts } = this;
      const { feature_mean, feature_sd, target_mean, signs } = parts.tables;
      const z = this.features(x).map(
        (h, i) => (h - feature_mean[i]) / (feature_sd[i] * Math.sqrt(m)),
      );
      const y = Float64Array.from(target, (v, j) => v - target_mean[j]);
      const predicted = this.targets.read(solve(this.factor, z, m));
      const error = y.map((v, j) => v - predicted[j]);
      const sign = signs[this.learned++ % signs.length];
      this.targets.add(z, y);
      this.errors.add(
        z,
        error.map((v) => sign * v),
      );
      for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) this.a[i * m + j] += z[i] * z[j];
      this.factor = cholesky(this.a, m);
      const squared = product(this.a, this.a, m);
      const before = { raw: this.raw, excess: this.excess, saved: this.saved };
      this.raw = this.targets.bits(this.factor, squared);
      this.excess = this.raw - this.errors.bits(this.factor, squared);
      this.saved = this.savedBy(this.targets.q);
      return {
        surprise: this.rate * square(error),
        progress: this.rate * (square(error) - square(y) + this.saved - before.saved),
        epiplexity: this.raw - before.raw,
        excess: this.excess - before.excess,
      };
    }
    /* tr(A^-1 Q) + lambda tr(A^-2 Q): by how much the readout lowers the sum of squared errors. */
    savedBy(q) {
      const { m } = this;
      const inverse = new Float64Array(m * m);
      for (let i = 0; i < m; i++) {
        const unit = new Float64Array(m);
        unit[i] = 1;
        inverse.set(solve(this.factor, unit, m), i * m);
      }
      const twice = product(inverse, inverse, m);
      return q.reduce(
        (sum, v, i) => sum + v * (inverse[i] + this.parts.ridge_penalty * twice[i]),
        0,
      );
    }
  }
  LN.rooms.Learner = Learner;
})();
