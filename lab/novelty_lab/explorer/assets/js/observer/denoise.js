"use strict";
/* Denoised bits: the readout without the part that noise could have made. The features explain B of
   the targets and leave E. Noise of covariance E / f = LL' has roots, eigenvalues of L^-1 B L^-T,
   up to an edge; a root above it is shrunk by the rule of Gavish and Donoho (2017), the others are
   0. The same steps as learnable_novelty.observer.denoise. */
LN.observerParts.push((ob) => {
  const [FALSE_RATE, FEWEST_ROWS, NEGLIGIBLE, EXACT] = [0.01, 4, 1e-10, 1e-12];
  const PENALTY_PER_ROW = 1e-4;

  /* Directions of features that take part: not those of negligible eigenvalue, and the largest of
     at most half as many as rows. */
  function keptDirections(eigenvalues, count) {
    const order = Array.from(eigenvalues.keys()).sort((a, b) => eigenvalues[b] - eigenvalues[a]);
    const top = eigenvalues[order[0]] ?? 0;
    const most = Math.floor((count - 1) / 2);
    return order
      .slice(0, most)
      .filter((i) => eigenvalues[i] > NEGLIGIBLE * top)
      .sort((a, b) => a - b);
  }

  /* How far correlations are shrunk to zero, Chen et al. (2010), eq. (23). */
  function shrinkage(correlation, freedom) {
    const size = correlation.length;
    if (size === 1) return 0;
    const squares = ob.sum(correlation.map((column) => ob.dot(column, column)));
    const spread = (freedom + 1 - 2 / size) * (squares - size);
    return spread > 0 ? Math.min(1, ((1 - 2 / size) * squares + size ** 2) / spread) : 1;
  }
  const shrunk = (correlation, share) =>
    correlation.map((column, j) => column.map((value, i) => (i === j ? 1 : (1 - share) * value)));

  /* The noise that residuals tell of: its root L, and the law of its largest root. */
  function noiseOf(explained, residual, directions, freedom) {
    const size = residual.length;
    const deviation = residual.map((column, j) => {
      const total = explained[j][j] + column[j];
      return Math.sqrt(Math.max(0, column[j]) + (total > 0 ? EXACT * total : 1));
    });
    const correlation = residual.map((column, j) =>
      column.map((value, i) => (i === j ? 1 : value / deviation[i] / deviation[j])),
    );
    let share = shrinkage(correlation, freedom);
    while (share < 1 && !ob.cholesky(shrunk(correlation, share)))
      share = Math.min(1, 0.01 + 2 * share);
    const used = shrunk(correlation, share);
    const law = { directions: Math.max(1, directions), targets: size, freedom };
    let root = ob.identity(size);
    if (freedom > 2 * size) {
      root = /** @type {Float64Array[]} */ (ob.cholesky(used));
      law.estimated = 1 + (size - 1) * (1 - share) ** 2;
    } else law.common = Math.min(size, Math.sqrt(ob.squaredSingularValues(used)[0]));
    const scaled = root.map((column) =>
      column.map((value, i) => (value * deviation[i]) / Math.sqrt(freedom)),
    );
    return { root: scaled, law };
  }

  /* Where the roots of noise end: by the law, and no lower than by residuals with signs. */
  function edgeOf(law, falseRate, measured) {
    const { mean, deviation } = ob.TRACY_WIDOM;
    const x = ob.tailQuantile(falseRate);
    const freedom = measured.length - 1;
    const z = (((x - mean) / deviation) * (8 * freedom + 3)) / (8 * freedom + 1);
    const t = Math.sqrt(freedom * Math.expm1((z * z) / freedom));
    const centre = ob.sum(measured) / measured.length;
    const squares = ob.sum(measured.map((root) => (root - centre) ** 2));
    const spread = Math.sqrt((squares / freedom) * (1 + 1 / measured.length));
    const known = (Math.sqrt(law.directions - 0.5) + Math.sqrt(law.targets - 0.5)) ** 2;
    const dependence = Math.max(1, centre / ob.largestRoot(law, mean));
    return {
      root: Math.max(ob.largestRoot(law, x), centre + t * spread),
      inflation: Math.max(1, ob.largestRoot(law, 0) / known) * dependence,
    };
  }

  /* sqrt((q - c - 1)^2 - 4 c) / q above the edge, else 0. */
  function shrink(root, edge, directions, targets) {
    const [few, many] = [Math.min(directions, targets), Math.max(directions, targets)];
    const c = few / many;
    const q = root / (edge.inflation * many);
    const inside = (q - c - 1) ** 2 - 4 * c;
    return root > edge.root && inside > 0 && q > 1 + c ? Math.sqrt(inside) / q : 0;
  }

  /* T = L^-T V diag(shrink) V'L', which the readout is multiplied by. */
  function denoiser(root, vectors, shrinks) {
    const size = root.length;
    const scaled = vectors.map((column, k) => column.map((value) => value * shrinks[k]));
    const kept = ob.times(scaled, ob.transposed(vectors, size), size);
    const right = ob.times(kept, ob.transposed(root, size), size);
    return right.map((column) => {
      for (let i = size - 1; i >= 0; i--) {
        for (let j = i + 1; j < size; j++) column[i] -= root[i][j] * column[j];
        column[i] /= root[i][i];
      }
      return column;
    });
  }

  /* Denoise a fit. Signs turn the residuals. */
  ob.denoise = (fit, signs, draws) => {
    const { eigenvalues, count, cross, targets } = fit;
    if (count < FEWEST_ROWS) return { bits: NaN, directions: NaN };
    const kept = keptDirections(eigenvalues, count);
    const rest = Array.from(eigenvalues.keys()).filter((i) => !kept.includes(i));
    const pick = (columns, places) =>
      columns.map((column) =>
        Float64Array.from(places, (i) =>
          eigenvalues[i] > 0 ? column[i] / Math.sqrt(eigenvalues[i]) : 0,
        ),
      );
    const along = pick(cross, kept);
    const explained = ob.products(along, along);
    const beyond = pick(cross, rest);
    const more = ob.products(beyond, beyond);
    const residual = fit.outside.map((column, j) => column.map((value, i) => value + more[j][i]));
    const freedom = count - 1 - kept.length;
    const { root, law } = noiseOf(explained, residual, kept.length, freedom);
    const components = kept.map((i) => fit.components[i]);
    const scales = kept.map((i) => 1 / Math.sqrt(eigenvalues[i]));
    const left = unexplained(targets, components, scales, along, count);
    const measured = signs.map((each) => {
      const moved = left.map((column, j) => column.map((value, i) => value * each[j][i]));
      const found = ob.products(components, moved);
      const units = found.map((column) => column.map((value, i) => value * scales[i]));
      return ob.squaredSingularValues(narrow(ob.whiten(units, root)))[0] ?? 0;
    });
    const edge = edgeOf(law, FALSE_RATE / draws, measured);
    const whitened = ob.whiten(along, root);
    const vectors = ob.identity(targets.length);
    const roots = ob.orthogonalize(whitened, vectors);
    const shrinks = roots.map((s) => shrink(s, edge, law.directions, law.targets));
    const right = denoiser(root, vectors, shrinks);
    const penalty = fit.ridge === "evidence" ? PENALTY_PER_ROW * count : fit.penalty;
    const ridge = cross.map((column) =>
      Float64Array.from(kept, (i) => column[i] / (eigenvalues[i] + penalty)),
    );
    const units = signalUnits(along, explained, residual, right, root, edge.root);
    const readout = ob
      .times(ridge, right, kept.length)
      .map((column, j) => column.map((value) => value / units[j]));
    return {
      bits: ob.log2det(readout, kept.length) / 2,
      directions: roots.filter((value) => value > edge.root).length,
    };
  };
  const narrow = (columns) =>
    columns.length > (columns[0]?.length ?? 0)
      ? ob.transposed(columns, columns[0]?.length ?? 0)
      : columns;

  /* Residuals of least squares with the variance of the noise, e / sqrt(1 - leverage). */
  function unexplained(targets, components, scales, along, count) {
    const leverage = new Float64Array(count).fill(1 / count);
    components.forEach((column, k) => {
      for (let i = 0; i < count; i++) leverage[i] += (column[i] * scales[k]) ** 2;
    });
    const fitted = ob.times(
      components,
      along.map((column) => column.map((value, k) => value * scales[k])),
      count,
    );
    return targets.map((column, j) =>
      column.map(
        (value, i) => (value - fitted[j][i]) / Math.sqrt(Math.max(1e-12, 1 - leverage[i])),
      ),
    );
  }

  /* The deviation of the signal in each target, in units of the target's own: at least that of a
     signal at the edge. */
  function signalUnits(along, explained, residual, right, root, edge) {
    const signal = ob.times(along, right, along[0].length);
    return signal.map((column, j) => {
      const total = explained[j][j] + residual[j][j];
      const unseen = edge * ob.sum(root.map((other) => other[j] ** 2));
      const ratio = Math.max(ob.dot(column, column), unseen) / total;
      return total > 0 ? Math.sqrt(Math.min(1, ratio)) : 1;
    });
  }
});
