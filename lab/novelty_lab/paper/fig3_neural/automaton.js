"use strict";
/* A trained neural automaton, run as a fixed local rule on a ring of unit vectors:

     x' = normalize(x + g(x))  (residual)    or    normalize(g(x))  (direct)
     g(x) = P gelu(B gelu(A x + a) + b) + p

   A and B hold the batch normalization with running moments, folded in. Arithmetic is in double:
   numbers of JavaScript are, so that single-precision arrays would only add conversions. */
(() => {
  const EPSILON = 1e-5;
  const REACH = 8;
  const FINE = 512;

  /* gelu(x) = x Phi(x) as a table of values and slopes, cubic in between: exact to 1e-13.
     Trained rules are chaotic: fifty steps make a millionfold of an error. */
  const value = new Float64Array(2 * REACH * FINE + 2);
  const slope = new Float64Array(value.length);
  (() => {
    const density = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const h = 1 / FINE;
    let mass = 6.220960574271785e-16; // Phi(-8)
    for (let k = 0; k < value.length; k++) {
      const x = -REACH + k * h;
      if (k)
        for (let j = 0; j < 4; j++) {
          // Simpson's rule on quarters of a cell
          const a = x - h + (j * h) / 4;
          mass += (h / 24) * (density(a) + 4 * density(a + h / 8) + density(a + h / 4));
        }
      value[k] = x * mass;
      slope[k] = (mass + x * density(x)) * h;
    }
  })();
  function gelu(x) {
    if (x <= -REACH) return 0;
    if (x >= REACH) return x;
    const place = (x + REACH) * FINE;
    const k = place | 0;
    const t = place - k;
    const v = value[k];
    const d = value[k + 1] - v;
    const s = slope[k];
    const e = slope[k + 1];
    return v + t * (s + t * (3 * d - 2 * s - e + t * (s + e - 2 * d)));
  }

  /* Read one checkpoint, laid out as the state of the rule in Python, and fold it. */
  function fold(vector, hidden, radius) {
    let at = 0;
    const take = (size) => {
      at += size;
      return vector.subarray(at - size, at);
    };
    const layer = (reads) => {
      const weight = take(hidden * reads);
      const scale = take(hidden);
      const shift = take(hidden);
      const mean = take(hidden);
      const variance = take(hidden);
      const folded = new Float64Array(hidden * reads);
      const offset = new Float64Array(hidden);
      for (let o = 0; o < hidden; o++) {
        const factor = scale[o] / Math.sqrt(variance[o] + EPSILON);
        for (let i = 0; i < reads; i++) folded[o * reads + i] = weight[o * reads + i] * factor;
        offset[o] = shift[o] - mean[o] * factor;
      }
      return { weight: folded, offset, reads };
    };
    const reads = 2 * (2 * radius + 1);
    return {
      lift: layer(reads),
      inner: layer(hidden),
      project: Float64Array.from(take(2 * hidden)),
      bias: Float64Array.from(take(2)),
      hidden,
      radius,
    };
  }

  /* out[s, o] = gelu(rows[s] . weight[o] + offset[o]), four rows and two outputs at a time. */
  function dense(rows, layer, out, count, outputs) {
    const { weight, offset, reads } = layer;
    for (let s = 0; s < count; s += 4) {
      const r0 = s * reads;
      const r1 = r0 + reads;
      const r2 = r1 + reads;
      const r3 = r2 + reads;
      for (let o = 0; o < outputs; o += 2) {
        const w0 = o * reads;
        const w1 = w0 + reads;
        const c0 = offset[o];
        const c1 = offset[o + 1];
        let a = c0;
        let b = c0;
        let c = c0;
        let d = c0;
        let e = c1;
        let f = c1;
        let g = c1;
        let h = c1;
        for (let i = 0; i < reads; i++) {
          const u = weight[w0 + i];
          const v = weight[w1 + i];
          const p = rows[r0 + i];
          const q = rows[r1 + i];
          const r = rows[r2 + i];
          const t = rows[r3 + i];
          a += u * p;
          b += u * q;
          c += u * r;
          d += u * t;
          e += v * p;
          f += v * q;
          g += v * r;
          h += v * t;
        }
        const z = s * outputs + o;
        out[z] = gelu(a);
        out[z + 1] = gelu(e);
        out[z + outputs] = gelu(b);
        out[z + outputs + 1] = gelu(f);
        out[z + 2 * outputs] = gelu(c);
        out[z + 2 * outputs + 1] = gelu(g);
        out[z + 3 * outputs] = gelu(d);
        out[z + 3 * outputs + 1] = gelu(h);
      }
    }
  }

  /* A ring of unit vectors under a rule; the width is a multiple of four. */
  class Ring {
    constructor(width) {
      this.width = width;
      this.state = new Float64Array(2 * width);
      // Room for the network's layers, made when a rule of that size comes.
      this.hidden = 0;
      this.rows = this.first = this.second = new Float64Array(0);
      this.randomize();
    }
    randomize() {
      for (let i = 0; i < this.width; i++) this.point(i, 2 * Math.PI * Math.random());
    }
    point(site, angle) {
      const i = ((site % this.width) + this.width) % this.width;
      this.state[2 * i] = Math.cos(angle);
      this.state[2 * i + 1] = Math.sin(angle);
    }
    step(rule, residual) {
      const n = this.width;
      const { hidden, radius, project, bias, lift, inner } = rule;
      if (this.hidden !== hidden) {
        this.hidden = hidden;
        this.rows = new Float64Array(n * lift.reads);
        this.first = new Float64Array(n * hidden);
        this.second = new Float64Array(n * hidden);
      }
      const x = this.state;
      const rows = this.rows;
      const last = this.second;
      for (let i = 0, z = 0; i < n; i++)
        for (let k = -radius; k <= radius; k++) {
          const j = (i + k + n) % n;
          rows[z++] = x[2 * j];
          rows[z++] = x[2 * j + 1];
        }
      dense(rows, lift, this.first, n, hidden);
      dense(this.first, inner, last, n, hidden);
      for (let i = 0; i < n; i++) {
        let u = bias[0];
        let v = bias[1];
        for (let j = 0, z = i * hidden; j < hidden; j++, z++) {
          u += project[j] * last[z];
          v += project[hidden + j] * last[z];
        }
        if (residual) {
          u += x[2 * i];
          v += x[2 * i + 1];
        }
        const length = Math.sqrt(u * u + v * v);
        x[2 * i] = length ? u / length : 1;
        x[2 * i + 1] = length ? v / length : 0;
      }
    }
  }

  /* matplotlib's "twilight", a circle of colours for a state that is a direction. */
  const TWILIGHT =
    "e2d9e2d1d5dab3c6ce95b5c77ba1c26b8cbf6276ba5f5eb35e43a5592a8f4e186f3d114d2f14363f123d581647741e4f8e2c50a24050b25652be6f5bc68a6dcca389d4bcacddd0ce";

  LN.neural = { gelu, fold, Ring, colours: LN.colourMap(TWILIGHT, true) };
})();
