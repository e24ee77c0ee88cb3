"use strict";
/* A quick ridge from sums of products, for the many fits of folds and shuffles. The Gram matrix is
   made tridiagonal, so that each penalty costs a few operations per feature. Its rounding weighs
   where the penalty is small beside the eigenvalues: such a fit is null, and is made from rows. */
LN.observerParts.push((ob) => {
  const SAFE = 1e-5;

  /* Means and sums of products of deviations of rows, about a centre that all rows share. */
  ob.momentsOf = (features, targets) => {
    const gram = ob.zeros(features.length, features.length);
    for (let j = 0; j < features.length; j++)
      for (let i = 0; i <= j; i++) {
        gram[j][i] = ob.dot(features[i], features[j]);
        gram[i][j] = gram[j][i];
      }
    return {
      count: features[0].length,
      sums: Float64Array.from(features, ob.sum),
      targetSums: Float64Array.from(targets, ob.sum),
      gram,
      cross: ob.products(features, targets),
      targetPower: Float64Array.from(targets, (column) => ob.dot(column, column)),
    };
  };
  /* The moments of all rows but some. */
  ob.without = (all, some) => {
    const less = (x, y) => {
      const made = new Float64Array(x.length);
      for (let i = 0; i < made.length; i++) made[i] = x[i] - y[i];
      return made;
    };
    const lessColumns = (x, y) => x.map((column, i) => less(column, y[i]));
    return {
      count: all.count - some.count,
      sums: less(all.sums, some.sums),
      targetSums: less(all.targetSums, some.targetSums),
      gram: lessColumns(all.gram, some.gram),
      cross: lessColumns(all.cross, some.cross),
      targetPower: less(all.targetPower, some.targetPower),
    };
  };

  /* Fit moments. The offsets are the centre that was taken off, for the rule of constant columns. */
  ob.fitMoments = (moments, ridge, offsets) => {
    const { count } = moments;
    const mean = moments.sums.map((sum) => sum / count);
    const targetMean = moments.targetSums.map((sum) => sum / count);
    const width = mean.length;
    const variance = mean.map((value, i) => moments.gram[i][i] / count - value * value);
    const scale = variance.map((value, i) =>
      ob.featureScale(value, mean[i] + offsets.features[i], width),
    );
    const targetPower = moments.targetPower.map((power, j) => power - count * targetMean[j] ** 2);
    const targetScale = targetPower.map((power, j) =>
      ob.targetScale(power / count, targetMean[j] + offsets.targets[j]),
    );
    /* Products less those of the means, scaled. */
    const standardized = (columns, means, scales) =>
      columns.map((column, j) => {
        const made = new Float64Array(width);
        for (let i = 0; i < width; i++)
          made[i] = (column[i] - count * mean[i] * means[j]) * scale[i] * scales[j];
        return made;
      });
    const gram = standardized(moments.gram, mean, scale);
    const cross = standardized(moments.cross, targetMean, targetScale);
    const power = ob.sum(targetPower.map((value, j) => value * targetScale[j] ** 2));
    const turned = ob.tridiagonal(gram, cross);
    const problem = tridiagonalProblem(turned, power, count);
    const penalty = ridge === "evidence" ? ob.evidencePenalty(problem) : ridge;
    if (penalty < SAFE * problem.trace) return null;
    const solved = problem.solve(penalty);
    return {
      count,
      penalty,
      mean,
      targetMean,
      scale,
      targetScale,
      explained: power > 0 ? solved.explained / power : 0,
      freedom: solved.used,
      /* W on standardized features. */
      weights: () => turned.back(solved.readout),
    };
  };

  /* All that evidence needs of T + l: pivots, the solution, and the diagonals of the inverse. */
  function tridiagonalProblem({ diagonal, beside, cross }, power, count) {
    const size = diagonal.length;
    const pivots = new Float64Array(size);
    const factors = new Float64Array(size);
    const readout = cross.map(() => new Float64Array(size));
    const trace = ob.sum(diagonal);

    /* The largest eigenvalue: all pivots of x - T are positive above it. */
    function largest() {
      let [low, high] = [0, trace];
      for (let step = 0; step < 52 && high > 0; step++) {
        const x = (low + high) / 2;
        let pivot = x - diagonal[0];
        for (let i = 1; i < size && pivot > 0; i++)
          pivot = x - diagonal[i] - (beside[i - 1] * beside[i - 1]) / pivot;
        if (pivot > 0) high = x;
        else low = x;
      }
      return high;
    }

    function solve(penalty) {
      if (penalty === Infinity) {
        for (const column of readout) column.fill(0);
        return { volume: 0, left: power, weighted: 0, used: 0, explained: 0, readout };
      }
      let volume = 0;
      for (let i = 0; i < size; i++) {
        factors[i] = i ? beside[i - 1] / pivots[i - 1] : 0;
        const more = diagonal[i] - (i ? factors[i] * beside[i - 1] : 0);
        pivots[i] = penalty + more;
        volume += Math.log1p(more / penalty);
      }
      let [product, weighted] = [0, 0];
      cross.forEach((column, j) => {
        const x = readout[j];
        x[0] = column[0];
        for (let i = 1; i < size; i++) x[i] = column[i] - factors[i] * x[i - 1];
        x[size - 1] /= pivots[size - 1];
        for (let i = size - 2; i >= 0; i--) x[i] = x[i] / pivots[i] - factors[i + 1] * x[i + 1];
        product += ob.dot(column, x);
        weighted += ob.dot(x, x);
      });
      // tr T (T + l)^-1 from the inverse's diagonals, without a difference of large sums.
      let used = 0;
      for (let i = size - 1, after = 0; i >= 0; i--) {
        const f = i + 1 < size ? factors[i + 1] : 0;
        const own = 1 / pivots[i] + f * f * after;
        used += diagonal[i] * own - (i + 1 < size ? 2 * beside[i] * f * after : 0);
        after = own;
      }
      const explained = product + penalty * weighted;
      return { volume, left: power - product, weighted, used, explained, readout };
    }
    return {
      power,
      count,
      trace,
      top: largest(),
      solve,
      cost: (penalty) => {
        const { volume, left } = solve(penalty);
        return ob.evidenceCost(volume, left, power, count);
      },
      slope: (penalty) => {
        const { used, weighted, left } = solve(penalty);
        return ob.evidenceSlope(used, weighted, left, power, count, penalty);
      },
    };
  }
});
