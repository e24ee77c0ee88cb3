"use strict";
/* A small neural automaton, trained in the page to make its own future learnable.

     rule      x' = normalize(x + g(x)),   g(x) = P gelu(B gelu(A x + a) + b) + p,   5 sites wide
     data      rows h(site at t), targets y: the site at t + 1 ... t + WINDOW, rings after a burn-in
     score     S = 1/2 log2 det(I + W'W),   W = (H'H + lambda I)^-1 H'Y,   H standardized / sqrt(m)
     gradient  dS/dY = H (H'H + lambda I)^-1 W (I + W'W)^-1 / ln 2, then back through the steps; Adam

   The observer h is a frozen random network of two layers on the same five sites, drawn anew for
   every step, so that no single one is fooled. All of it is in one function: a page that is opened
   as a file can start a worker from a text only. gpu.js does the same on a graphics card. */
(() => {
  /** @param {Partial<TrainingShape>} [shape] sizes other than those for a processor */
  function makeTrainer(shape) {
    /** @type {TrainingShape} */
    const sizes = {
      ...{ sites: 32, rings: 16, radius: 2, hidden: 32, features: 32, window: 4, burnIn: 24 },
      ...shape,
    };
    const { sites: SITES, radius: RADIUS, hidden: HIDDEN, features: FEATURES } = sizes;
    const { window: WINDOW, burnIn: BURN_IN } = sizes;
    const [RIDGE, RATE, CLIP, NOISE] = [3, 3e-3, 0.5, 0.1];
    const READS = 2 * (2 * RADIUS + 1);
    const ROWS = SITES * sizes.rings;
    const SIZES = [HIDDEN * READS, HIDDEN, HIDDEN * HIDDEN, HIDDEN, 2 * HIDDEN, 2];

    /* Uniform numbers from a seed (mulberry32). */
    function generator(seed) {
      let state = seed >>> 0;
      return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
      };
    }
    const uniform = (random, count, limit) =>
      Float64Array.from({ length: count }, () => limit * (2 * random() - 1));

    /* Phi(x), the normal distribution, to 1e-7 (Abramowitz and Stegun 26.2.17). */
    function below(x) {
      const t = 1 / (1 + 0.2316419 * Math.abs(x));
      const tail =
        0.3989422804014327 *
        Math.exp((-x * x) / 2) *
        t *
        (0.31938153 +
          t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
      return x > 0 ? 1 - tail : tail;
    }
    /* gelu(x) = x Phi(x) and its slope, from tables with straight lines in between: to 1e-6. */
    const [REACH, FINE] = [8, 512];
    const tabled = (f) =>
      Float64Array.from({ length: 2 * REACH * FINE + 2 }, (_, k) => f(k / FINE - REACH));
    const read = (table, x) => {
      const place = (x + REACH) * FINE;
      const k = place | 0;
      return table[k] + (place - k) * (table[k + 1] - table[k]);
    };
    const values = tabled((x) => x * below(x));
    const slopes = tabled((x) => below(x) + x * 0.3989422804014327 * Math.exp((-x * x) / 2));
    const gelu = (x) => (x <= -REACH ? 0 : x >= REACH ? x : read(values, x));
    const slope = (x) => (x <= -REACH ? 0 : x >= REACH ? 1 : read(slopes, x));

    const split = (theta) => {
      let at = 0;
      return SIZES.map((size) => {
        at += size;
        return theta.subarray(at - size, at);
      });
    };
    function start(random) {
      const theta = new Float64Array(SIZES.reduce((a, b) => a + b, 0));
      const [a, , b, , p] = split(theta);
      a.set(uniform(random, a.length, Math.sqrt(3 / READS)));
      b.set(uniform(random, b.length, Math.sqrt(6 / HIDDEN)));
      p.set(uniform(random, p.length, Math.sqrt(6 / HIDDEN)));
      return theta;
    }

    /* The sites that each site reads, rings side by side. */
    const NEAR = Int32Array.from({ length: ROWS * (2 * RADIUS + 1) }, (_, i) => {
      const row = Math.floor(i / (2 * RADIUS + 1));
      const ring = SITES * Math.floor(row / SITES);
      const site = (row % SITES) + (i % (2 * RADIUS + 1)) - RADIUS;
      return ring + ((site + SITES) % SITES);
    });
    function gather(x) {
      const rows = new Float64Array(ROWS * READS);
      for (let i = 0; i < NEAR.length; i++) {
        rows[2 * i] = x[2 * NEAR[i]];
        rows[2 * i + 1] = x[2 * NEAR[i] + 1];
      }
      return rows;
    }
    /* out = rows weight' + offset, (ROWS, outputs). */
    function linear(rows, weight, offset, reads, outputs) {
      const out = new Float64Array(ROWS * outputs);
      for (let r = 0; r < ROWS; r++)
        for (let o = 0; o < outputs; o++) {
          let sum = offset[o];
          for (let i = 0, p = r * reads, q = o * reads; i < reads; i++, p++, q++)
            sum += rows[p] * weight[q];
          out[r * outputs + o] = sum;
        }
      return out;
    }
    /* One step of all rings; what its gradient needs is kept. */
    function forward(theta, x) {
      const [a, ao, b, bo, p, po] = split(theta);
      const rows = gather(x);
      const z1 = linear(rows, a, ao, READS, HIDDEN);
      const a1 = z1.map(gelu);
      const z2 = linear(a1, b, bo, HIDDEN, HIDDEN);
      const a2 = z2.map(gelu);
      const u = linear(a2, p, po, HIDDEN, 2).map((v, i) => v + x[i]);
      const next = new Float64Array(u.length);
      const length = new Float64Array(ROWS);
      for (let r = 0; r < ROWS; r++) {
        length[r] = Math.hypot(u[2 * r], u[2 * r + 1]) || 1;
        next[2 * r] = u[2 * r] / length[r];
        next[2 * r + 1] = u[2 * r + 1] / length[r];
      }
      return { rows, z1, a1, z2, a2, length, next };
    }
    /* From the gradient of out to those of rows and weight, and of the offset. */
    function backLinear(d, rows, weight, reads, outputs, dWeight, dOffset) {
      const dRows = new Float64Array(ROWS * reads);
      for (let r = 0; r < ROWS; r++)
        for (let o = 0; o < outputs; o++) {
          const v = d[r * outputs + o];
          if (v === 0) continue;
          dOffset[o] += v;
          for (let i = 0, p = r * reads, q = o * reads; i < reads; i++, p++, q++) {
            dRows[p] += v * weight[q];
            dWeight[q] += v * rows[p];
          }
        }
      return dRows;
    }
    /* Add a step's gradient to that of theta; return that of the state before it. */
    function backward(theta, kept, dNext, gradient) {
      const [a, , b, , p] = split(theta);
      const [da, dao, db, dbo, dp, dpo] = split(gradient);
      const du = new Float64Array(2 * ROWS);
      for (let r = 0; r < ROWS; r++) {
        const [c, s] = [kept.next[2 * r], kept.next[2 * r + 1]];
        const along = c * dNext[2 * r] + s * dNext[2 * r + 1];
        du[2 * r] = (dNext[2 * r] - c * along) / kept.length[r];
        du[2 * r + 1] = (dNext[2 * r + 1] - s * along) / kept.length[r];
      }
      const d2 = backLinear(du, kept.a2, p, HIDDEN, 2, dp, dpo);
      for (let i = 0; i < d2.length; i++) d2[i] *= slope(kept.z2[i]);
      const d1 = backLinear(d2, kept.a1, b, HIDDEN, HIDDEN, db, dbo);
      for (let i = 0; i < d1.length; i++) d1[i] *= slope(kept.z1[i]);
      const dRows = backLinear(d1, kept.rows, a, READS, HIDDEN, da, dao);
      for (let i = 0; i < NEAR.length; i++) {
        du[2 * NEAR[i]] += dRows[2 * i];
        du[2 * NEAR[i] + 1] += dRows[2 * i + 1];
      }
      return du;
    }

    /* All that is random in a step: first states, disturbances, an observer, an order of rows. */
    function draw(random) {
      const first = new Float64Array(2 * ROWS);
      for (let r = 0; r < ROWS; r++) {
        const angle = 2 * Math.PI * random();
        first[2 * r] = Math.cos(angle);
        first[2 * r + 1] = Math.sin(angle);
      }
      const noises = Array.from({ length: Math.ceil(BURN_IN / 8) }, () =>
        uniform(random, 2 * ROWS, NOISE),
      );
      const observer = [READS, FEATURES].map((reads) => {
        const limit = Math.sqrt(3 / reads);
        const weight = uniform(random, FEATURES * reads, limit);
        return { reads, weight, offset: uniform(random, FEATURES, limit) };
      });
      const order = Uint32Array.from({ length: ROWS }, (_, r) => r);
      for (let r = ROWS - 1; r > 0; r--) {
        const other = Math.floor((r + 1) * random());
        [order[r], order[other]] = [order[other], order[r]];
      }
      return { first, noises, observer, order };
    }
    /* Features of all sites, standardized and divided by sqrt(m): (ROWS, FEATURES). */
    function observe(observer, x) {
      let h = gather(x);
      for (const { reads, weight, offset } of observer) {
        h = linear(h, weight, offset, reads, FEATURES);
        for (let r = 0; r < ROWS; r++) {
          const own = h.subarray(r * FEATURES, (r + 1) * FEATURES);
          const mean = own.reduce((s, v) => s + v, 0) / FEATURES;
          const variance = own.reduce((s, v) => s + (v - mean) ** 2, 0) / FEATURES;
          const scale = 1 / Math.sqrt(variance + 1e-5);
          for (let j = 0; j < FEATURES; j++) {
            const v = (own[j] - mean) * scale;
            own[j] = v > 0 ? v : Math.expm1(v);
          }
        }
      }
      for (let j = 0; j < FEATURES; j++) {
        let mean = 0;
        let square = 0;
        for (let r = 0; r < ROWS; r++) mean += h[r * FEATURES + j] / ROWS;
        for (let r = 0; r < ROWS; r++) square += (h[r * FEATURES + j] - mean) ** 2 / ROWS;
        const scale = square > 1e-18 ? 1 / Math.sqrt(square * FEATURES) : 0;
        for (let r = 0; r < ROWS; r++) h[r * FEATURES + j] = (h[r * FEATURES + j] - mean) * scale;
      }
      return h;
    }
    /* L of A = L L', and X of L L' X = B with k columns, in place. */
    function cholesky(a, m) {
      for (let j = 0; j < m; j++)
        for (let i = j; i < m; i++) {
          let sum = a[i * m + j];
          for (let q = 0; q < j; q++) sum -= a[i * m + q] * a[j * m + q];
          a[i * m + j] = i === j ? Math.sqrt(sum) : sum / a[j * m + j];
        }
      return a;
    }
    function solve(l, b, m, k) {
      for (let c = 0; c < k; c++) {
        for (let i = 0; i < m; i++) {
          let sum = b[i * k + c];
          for (let q = 0; q < i; q++) sum -= l[i * m + q] * b[q * k + c];
          b[i * k + c] = sum / l[i * m + i];
        }
        for (let i = m - 1; i >= 0; i--) {
          let sum = b[i * k + c];
          for (let q = i + 1; q < m; q++) sum -= l[q * m + i] * b[q * k + c];
          b[i * k + c] = sum / l[i * m + i];
        }
      }
      return b;
    }
    /* a' b of (ROWS, m) and (ROWS, k). */
    function cross(a, b, m, k) {
      const out = new Float64Array(m * k);
      for (let r = 0; r < ROWS; r++)
        for (let i = 0; i < m; i++)
          for (let j = 0, v = a[r * m + i]; j < k; j++) out[i * k + j] += v * b[r * k + j];
      return out;
    }
    /* S in bits of H'H and H'Y, and (H'H + lambda I)^-1 W (I + W'W)^-1 / ln 2: (FEATURES, d).
       Both arguments are overwritten. */
    function scoreOf(gram, crossed, d) {
      for (let i = 0; i < FEATURES; i++) gram[i * FEATURES + i] += RIDGE;
      const l = cholesky(gram, FEATURES);
      const w = solve(l, crossed, FEATURES, d);
      const inner = new Float64Array(d * d);
      for (let i = 0; i < d; i++)
        for (let j = 0; j < d; j++) {
          let sum = i === j ? 1 : 0;
          for (let q = 0; q < FEATURES; q++) sum += w[q * d + i] * w[q * d + j];
          inner[i * d + j] = sum;
        }
      const factor = cholesky(inner, d);
      let bits = 0;
      for (let i = 0; i < d; i++) bits += Math.log2(factor[i * d + i]);
      // Rows of W (I + W'W)^-1: the transposed system has them as columns.
      const turned = new Float64Array(d * FEATURES);
      for (let q = 0; q < FEATURES; q++)
        for (let i = 0; i < d; i++) turned[i * FEATURES + q] = w[q * d + i];
      solve(factor, turned, d, FEATURES);
      const back = new Float64Array(FEATURES * d);
      for (let q = 0; q < FEATURES; q++)
        for (let i = 0; i < d; i++) back[q * d + i] = turned[i * FEATURES + q] / Math.LN2;
      solve(l, back, FEATURES, d);
      return { bits, back };
    }
    /* S in bits, and its gradient by the targets, (ROWS, d). */
    function score(h, y, d) {
      const gram = cross(h, h, FEATURES, FEATURES);
      const { bits, back } = scoreOf(gram, cross(h, y, FEATURES, d), d);
      const gradient = new Float64Array(ROWS * d);
      for (let r = 0; r < ROWS; r++)
        for (let q = 0; q < FEATURES; q++)
          for (let i = 0, v = h[r * FEATURES + q]; i < d; i++)
            gradient[r * d + i] += v * back[q * d + i];
      return { bits, gradient };
    }

    /* The first states after the burn-in, disturbed a little after every eighth step. */
    function settled(theta, { first, noises }) {
      let x = first;
      for (let t = 0; t < BURN_IN; t++) {
        x = forward(theta, x).next;
        if (t % 8) continue;
        for (let i = 0; i < x.length; i++) x[i] += noises[t / 8][i];
        for (let r = 0; r < ROWS; r++) {
          const size = Math.hypot(x[2 * r], x[2 * r + 1]) || 1;
          x[2 * r] /= size;
          x[2 * r + 1] /= size;
        }
      }
      return x;
    }
    /* The score of given states under a rule, seen by an observer, and its gradient by theta. */
    function evaluate(theta, x, h) {
      const d = 2 * WINDOW;
      const steps = [];
      const y = new Float64Array(ROWS * d);
      for (let t = 0, now = x; t < WINDOW; t++) {
        steps.push(forward(theta, now));
        now = steps[t].next;
        for (let r = 0; r < ROWS; r++) {
          y[r * d + 2 * t] = now[2 * r];
          y[r * d + 2 * t + 1] = now[2 * r + 1];
        }
      }
      const { bits, gradient: dy } = score(h, y, d);
      const gradient = new Float64Array(theta.length);
      let dx = new Float64Array(2 * ROWS);
      for (let t = WINDOW - 1; t >= 0; t--) {
        for (let r = 0; r < ROWS; r++) {
          dx[2 * r] += dy[r * d + 2 * t];
          dx[2 * r + 1] += dy[r * d + 2 * t + 1];
        }
        dx = backward(theta, steps[t], dx, gradient);
      }
      return { bits, gradient, y };
    }
    /* The score of targets that are moved to other rows: what chance gives. */
    function chance(h, y, order) {
      const d = 2 * WINDOW;
      const moved = new Float64Array(y.length);
      for (let r = 0; r < ROWS; r++) moved.set(y.subarray(order[r] * d, (order[r] + 1) * d), r * d);
      return score(h, moved, d).bits;
    }
    /* Adam, upward, with a bound on the length of the gradient; theta changes in place. */
    function climber(theta) {
      const first = new Float64Array(theta.length);
      const second = new Float64Array(theta.length);
      let count = 0;
      return (gradient) => {
        const norm = Math.sqrt(gradient.reduce((s, v) => s + v * v, 0));
        const share = Math.min(1, CLIP / norm);
        count++;
        for (let i = 0; i < theta.length; i++) {
          const g = share * gradient[i];
          first[i] += 0.1 * (g - first[i]);
          second[i] += 0.001 * (g * g - second[i]);
          const size = Math.sqrt(second[i] / (1 - 0.999 ** count)) + 1e-8;
          theta[i] += (RATE * first[i]) / (1 - 0.9 ** count) / size;
        }
      };
    }
    /* The score of a rule, that of chance, and the gradient by theta, all from one draw. */
    function measure(theta, drawn) {
      const x = settled(theta, drawn);
      const h = observe(drawn.observer, x);
      const { bits, gradient, y } = evaluate(theta, x, h);
      return { bits, gradient, chance: chance(h, y, drawn.order) };
    }
    /* Gradient ascent; every call is a step and returns the score before it, and that of chance.
       Another measure, one that takes its time, may do the work. */
    function ascent(seed, by = measure) {
      const random = generator(seed);
      const theta = start(random);
      const climb = climber(theta);
      const step = async () => {
        const { bits, chance, gradient } = await by(theta, draw(random));
        climb(gradient);
        return { bits, chance };
      };
      return { theta, step };
    }
    /* What the page runs: the rule with its layers apart. */
    function ruleOf(theta) {
      const [a, ao, b, bo, p, po] = split(theta).map((part) => Float64Array.from(part));
      return {
        lift: { weight: a, offset: ao, reads: READS },
        inner: { weight: b, offset: bo, reads: HIDDEN },
        project: p,
        bias: po,
        hidden: HIDDEN,
        radius: RADIUS,
      };
    }

    return {
      ascent,
      draw,
      forward,
      evaluate,
      measure,
      score,
      scoreOf,
      settled,
      observe,
      generator,
      start,
      ruleOf,
      sizes,
      SIZES,
      READS,
      ROWS,
      FEATURES,
      RIDGE,
    };
  }
  LN.training = { ...LN.training, makeTrainer };
})();
