"use strict";
/* A matrix is a list of its columns, each a Float64Array. */
LN.observerParts.push((ob) => {
  ob.dot = (x, y, from = 0) => {
    const n = x.length;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let i = from;
    for (; i + 3 < n; i += 4) {
      a += x[i] * y[i];
      b += x[i + 1] * y[i + 1];
      c += x[i + 2] * y[i + 2];
      d += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) a += x[i] * y[i];
    return a + b + (c + d);
  };
  /* y + scale x, in place. */
  ob.add = (y, x, scale, from = 0) => {
    for (let i = from; i < y.length; i++) y[i] += scale * x[i];
  };
  ob.sum = (values) => {
    let total = 0;
    for (let i = 0; i < values.length; i++) total += values[i];
    return total;
  };
  /* Rows of a column in another order. */
  ob.gather = (column, order) => {
    const made = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) made[i] = column[order[i]];
    return made;
  };
  ob.scaled = (column, scale) => {
    const made = new Float64Array(column.length);
    for (let i = 0; i < made.length; i++) made[i] = scale * column[i];
    return made;
  };
  ob.less = (column, value) => {
    const made = new Float64Array(column.length);
    for (let i = 0; i < made.length; i++) made[i] = column[i] - value;
    return made;
  };
  ob.zeros = (rows, columns) => Array.from({ length: columns }, () => new Float64Array(rows));
  ob.identity = (size) => ob.zeros(size, size).map((column, i) => column.fill(1, i, i + 1));
  ob.transposed = (columns, rows) =>
    Array.from({ length: rows }, (_, i) => Float64Array.from(columns, (column) => column[i]));
  /* Products of columns, X'Y. */
  ob.products = (x, y) => y.map((right) => Float64Array.from(x, (left) => ob.dot(left, right)));
  /* X b for each b, beginning with its start. Four columns for four results at a time: this is
     where most of the time goes, and every value that is read counts four times. */
  ob.times = (x, many, rows, starts) => {
    const made = many.map((_, k) => {
      const column = new Float64Array(rows);
      return starts ? column.fill(starts[k]) : column;
    });
    const across = x.length - (x.length % 4);
    const tiled = many.length - (many.length % 4);
    for (let k = 0; k < tiled; k += 4)
      for (let j = 0; j < across; j += 4) tile(x, many, made, j, k, rows);
    for (let k = 0; k < many.length; k++)
      for (let j = k < tiled ? across : 0; j < x.length; j++) ob.add(made[k], x[j], many[k][j]);
    return made;
  };
  function tile(x, many, made, j, k, rows) {
    const x0 = x[j];
    const x1 = x[j + 1];
    const x2 = x[j + 2];
    const x3 = x[j + 3];
    const y0 = made[k];
    const y1 = made[k + 1];
    const y2 = made[k + 2];
    const y3 = made[k + 3];
    const a0 = many[k][j];
    const a1 = many[k][j + 1];
    const a2 = many[k][j + 2];
    const a3 = many[k][j + 3];
    const b0 = many[k + 1][j];
    const b1 = many[k + 1][j + 1];
    const b2 = many[k + 1][j + 2];
    const b3 = many[k + 1][j + 3];
    const c0 = many[k + 2][j];
    const c1 = many[k + 2][j + 1];
    const c2 = many[k + 2][j + 2];
    const c3 = many[k + 2][j + 3];
    const d0 = many[k + 3][j];
    const d1 = many[k + 3][j + 1];
    const d2 = many[k + 3][j + 2];
    const d3 = many[k + 3][j + 3];
    for (let i = 0; i < rows; i++) {
      const p = x0[i];
      const q = x1[i];
      const r = x2[i];
      const s = x3[i];
      y0[i] += a0 * p + a1 * q + (a2 * r + a3 * s);
      y1[i] += b0 * p + b1 * q + (b2 * r + b3 * s);
      y2[i] += c0 * p + c1 * q + (c2 * r + c3 * s);
      y3[i] += d0 * p + d1 * q + (d2 * r + d3 * s);
    }
  }

  /* Turn rows by an orthogonal Q so that Q'H = [R; 0] and Q'Y = [Z; E] (Householder), in place.
     R stays in the upper triangle of the features; what is below it is no more needed. */
  ob.turn = (features, targets) => {
    const rows = features[0]?.length ?? 0;
    const size = Math.min(features.length, rows);
    const v = new Float64Array(rows);
    for (let k = 0; k < size; k++) {
      const own = features[k];
      for (let i = k; i < rows; i++) v[i] = own[i];
      const length = Math.sqrt(ob.dot(v, v, k));
      if (length === 0) continue;
      const end = v[k] > 0 ? -length : length;
      v[k] -= end;
      const scale = -1 / (end * v[k]);
      for (const side of [features, targets])
        for (let j = side === features ? k + 1 : 0; j < side.length; j++)
          ob.add(side[j], v, -scale * ob.dot(v, side[j], k), k);
      own[k] = end;
      own.fill(0, k + 1);
    }
    return size;
  };

  /* Turn columns until they are orthogonal: the one-sided method of Jacobi (Hestenes 1958), which
     finds small singular values to their own digits. Each rotation of two columns also turns two
     of the companions: those of the identity become right singular vectors. */
  ob.orthogonalize = (columns, companions) => {
    const squares = columns.map((column) => ob.dot(column, column));
    const rotate = (x, y, c, s) => {
      for (let i = 0; i < x.length; i++) {
        const a = x[i];
        const b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
      }
    };
    for (let sweep = 0, turned = true; turned && sweep < 40; sweep++) {
      turned = false;
      for (let p = 0; p < columns.length - 1; p++)
        for (let q = p + 1; q < columns.length; q++) {
          const x = columns[p];
          const y = columns[q];
          const both = ob.dot(x, y);
          if (Math.abs(both) <= 1e-16 * Math.sqrt(squares[p] * squares[q]) || both === 0) continue;
          turned = true;
          const zeta = (squares[q] - squares[p]) / (2 * both);
          const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
          const c = 1 / Math.sqrt(1 + t * t);
          rotate(x, y, c, c * t);
          if (companions) rotate(companions[p], companions[q], c, c * t);
          squares[p] = ob.dot(x, x);
          squares[q] = ob.dot(y, y);
        }
    }
    return squares;
  };
  /* Squared singular values, descending. */
  ob.squaredSingularValues = (columns) =>
    ob.orthogonalize(columns.map((column) => column.slice())).sort((a, b) => b - a);

  /* The lower triangular L with LL' = A, or null where A is not positive definite. */
  ob.cholesky = (a) => {
    const factor = a.map((column) => column.slice());
    for (let j = 0; j < a.length; j++) {
      const own = factor[j];
      own.fill(0, 0, j);
      for (let k = 0; k < j; k++) ob.add(own, factor[k], -factor[k][j], j);
      if (!(own[j] > 0)) return null;
      const root = Math.sqrt(own[j]);
      for (let i = j; i < own.length; i++) own[i] /= root;
    }
    return factor;
  };
  /* Turn a symmetric matrix into a tridiagonal one, Q'AQ = T (Householder), and C into Q'C.
     With T a ridge costs a few operations per direction for each penalty. */
  ob.tridiagonal = (a, c) => {
    const size = a.length;
    const matrix = a.map((column) => column.slice());
    const cross = c.map((column) => column.slice());
    const reflections = [];
    const w = new Float64Array(size);
    for (let k = 0; k < size - 2; k++) {
      const v = matrix[k].slice();
      v.fill(0, 0, k + 1);
      const length = Math.sqrt(ob.dot(v, v));
      if (length === 0) continue;
      const end = v[k + 1] > 0 ? -length : length;
      v[k + 1] -= end;
      const scale = -1 / (end * v[k + 1]);
      // A - v u' - u v' with u = scale (A v - scale (v'Av) v / 2), on and below the diagonal.
      w.fill(0);
      for (let j = k + 1; j < size; j++) {
        const column = matrix[j];
        const vj = v[j];
        let total = column[j] * vj;
        for (let i = j + 1; i < size; i++) {
          w[i] += column[i] * vj;
          total += column[i] * v[i];
        }
        w[j] += total;
      }
      for (let j = k + 1; j < size; j++) w[j] *= scale;
      ob.add(w, v, (-scale / 2) * ob.dot(w, v, k + 1), k + 1);
      for (let j = k + 1; j < size; j++) {
        const column = matrix[j];
        const wj = w[j];
        const vj = v[j];
        for (let i = j; i < size; i++) column[i] -= v[i] * wj + w[i] * vj;
      }
      matrix[k][k + 1] = end;
      for (const column of cross) ob.add(column, v, -scale * ob.dot(column, v, k + 1), k + 1);
      reflections.push([v, scale, k + 1]);
    }
    return {
      diagonal: Float64Array.from(matrix, (column, i) => column[i]),
      beside: Float64Array.from({ length: Math.max(0, size - 1) }, (_, i) => matrix[i][i + 1]),
      cross,
      /* Q x for each column x. */
      back: (columns) =>
        columns.map((column) => {
          const made = column.slice();
          for (const [v, scale, from] of reflections.slice().reverse())
            ob.add(made, v, -scale * ob.dot(made, v, from), from);
          return made;
        }),
    };
  };
});
