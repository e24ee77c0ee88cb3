"use strict";
/* The ridge readout in the axes of its features. H~ = U diag(sqrt(k)) V' is factored once, by a
   triangular root and its singular values; then b = V'H~'Y~, the readout is V b / (k + l), and

     S = 1/2 log2 det(I + W W').

   Other targets (rearranged, or residuals) need their products with the components H~V alone. */
LN.observerParts.push((ob) => {
  const EPS = 2 ** -52;
  const CONSTANT = (64 * EPS) ** 2 / (1 - (64 * EPS) ** 2);
  /* Variance at most this share of the squared mean is rounding: the column is constant. */
  ob.isConstant = (variance, mean) => !(variance > CONSTANT * mean * mean);

  ob.mean = (column) => {
    const first = ob.sum(column) / column.length;
    let rest = 0;
    for (let i = 0; i < column.length; i++) rest += column[i] - first;
    return first + rest / column.length;
  };
  /* (x - mean) times a scale, which is made of variance, mean and the number of columns. */
  function standardized(columns, scaleOf) {
    return columns.map((column) => {
      const mean = ob.mean(column);
      const made = ob.less(column, mean);
      return ob.scaled(made, scaleOf(ob.dot(made, made) / made.length, mean, columns.length));
    });
  }
  ob.featureScale = (variance, mean, width) =>
    ob.isConstant(variance, mean) ? 0 : 1 / Math.sqrt(variance * width);
  ob.targetScale = (variance, mean) => (ob.isConstant(variance, mean) ? 0 : 1);
  ob.standardizeFeatures = (columns) => standardized(columns, ob.featureScale);
  ob.standardizeTargets = (columns) => standardized(columns, ob.targetScale);

  /* log2 det(I + W W') of a readout (rank, targets), by the smaller side. */
  ob.log2det = (readout, rank) => {
    const narrow = readout.length > rank ? ob.transposed(readout, rank) : readout;
    const gram = ob.products(narrow, narrow);
    gram.forEach((column, i) => {
      column[i] += 1;
    });
    const factor = ob.cholesky(gram);
    const left = factor?.map((column, i) => (column[i] * column[i]) / gram[i][i]);
    const error = left ? left.length * EPS * ob.sum(left.map((share) => 1 / share)) : Infinity;
    if (factor && error <= 1e-8) return 2 * ob.sum(factor.map((column, i) => Math.log2(column[i])));
    return ob.sum(ob.squaredSingularValues(narrow).map((square) => Math.log1p(square))) / Math.LN2;
  };

  /* Factor standardized rows. */
  ob.axesOf = (features, targets) => {
    const count = targets[0].length;
    const root = features.map((column) => column.slice());
    const turned = targets.map((column) => column.slice());
    const size = ob.turn(root, turned);
    const outside = turned.map((column) => column.subarray(size));
    // Columns of R' are turned until they are V sqrt(k); the rows of Z turn with them.
    const axes = ob.transposed(root, size);
    const along = ob.transposed(turned, size);
    const eigenvalues = Float64Array.from(ob.orthogonalize(axes, along));
    const cross = ob
      .transposed(along, targets.length)
      .map((column) => column.map((value, i) => value * Math.sqrt(eigenvalues[i])));
    const targetPower = targets.map((column) => ob.dot(column, column));
    return {
      count,
      eigenvalues,
      cross,
      axes,
      outside: ob.products(outside, outside),
      targetPower,
      power: ob.sum(targetPower),
    };
  };

  /* What the grid of penalties costs of every target with these features: volumes, and 1 / (k + l)
     for each penalty. */
  function sharedGrid(eigenvalues) {
    /** @type {{ volume: number, inverse: Float64Array }[]} */
    let made = [];
    return (grid) => {
      if (!made.length)
        made = Array.from(grid, (x) => {
          const penalty = Math.exp(x);
          return {
            volume: ob.sum(eigenvalues.map((k) => Math.log1p(k / penalty))),
            inverse: eigenvalues.map((k) => 1 / (k + penalty)),
          };
        });
      return made;
    };
  }

  /* A problem of evidence in the axes of the features. Without `outside`, what is left of the
     targets is a difference. */
  ob.spectralProblem = (eigenvalues, crossPower, power, count, outside) => {
    const rank = eigenvalues.length;
    const left = (penalty) => {
      let found = outside ?? power;
      for (let i = 0; i < rank; i++) {
        const k = eigenvalues[i];
        const b = crossPower[i];
        if (outside === undefined) found -= b / (k + penalty);
        else if (k > 0) found += b / k / (1 + k / penalty);
      }
      return found;
    };
    return {
      top: eigenvalues.reduce((a, b) => Math.max(a, b), 0),
      power,
      count,
      cost(penalty) {
        let volume = 0;
        for (let i = 0; i < rank; i++) volume += Math.log1p(eigenvalues[i] / penalty);
        return ob.evidenceCost(volume, left(penalty), power, count);
      },
      slope(penalty) {
        let used = 0;
        let weighted = 0;
        for (let i = 0; i < rank; i++) {
          const inverse = 1 / (eigenvalues[i] + penalty);
          used += inverse * eigenvalues[i];
          weighted += crossPower[i] * inverse * inverse;
        }
        return ob.evidenceSlope(used, weighted, left(penalty), power, count, penalty);
      },
    };
  };

  const squaresOf = (columns, rank) => {
    const made = new Float64Array(rank);
    for (const column of columns) for (let i = 0; i < rank; i++) made[i] += column[i] ** 2;
    return made;
  };

  /* The share of the targets' power that a ridge explains,
     sum b^2 (k + 2 l) / (k + l)^2, divided through by l^2: an infinite l explains nothing. */
  function share(eigenvalues, crossPower, power, penalty) {
    let explained = 0;
    for (let i = 0; i < eigenvalues.length; i++) {
      const ratio = eigenvalues[i] / penalty;
      explained += (crossPower[i] * (ratio + 2)) / ((ratio + 1) ** 2 * penalty);
    }
    return power > 0 ? explained / power : 0;
  }

  /* Fit rows of features and targets. Penalty: a number, or "evidence". */
  ob.fit = (features, targets, ridge) => {
    const h = ob.standardizeFeatures(features);
    const y = ob.standardizeTargets(targets);
    const axes = ob.axesOf(h, y);
    const { eigenvalues, cross, power, count } = axes;
    const rank = eigenvalues.length;
    const outside = ob.sum(axes.outside.map((column, i) => column[i]));
    const crossPower = squaresOf(cross, rank);
    const penalty =
      ridge === "evidence"
        ? ob.evidencePenalty(ob.spectralProblem(eigenvalues, crossPower, power, count, outside))
        : ridge;
    const readout = cross.map((column) =>
      column.map((value, i) => value / (eigenvalues[i] + penalty)),
    );
    const log2det = ob.log2det(readout, rank);
    ob.refuseRounding(axes, readout, penalty, h.length, log2det);
    const vectors = axes.axes.map((column, i) =>
      column.map((value) => (eigenvalues[i] > 0 ? value / Math.sqrt(eigenvalues[i]) : 0)),
    );
    const components = ob.times(h, vectors, count);
    const gridOf = sharedGrid(eigenvalues);
    return {
      ...axes,
      targets: y,
      penalty,
      ridge,
      readout,
      components,
      bits: log2det / 2,
      explained: share(eigenvalues, crossPower, power, penalty),
      /* What is explained of other targets of the same features, each with its own penalty. */
      explainedOf: (other, otherPower) => {
        const squares = squaresOf(other, rank);
        const own =
          ridge === "evidence"
            ? ob.evidencePenalty({
                ...ob.spectralProblem(eigenvalues, squares, otherPower, count),
                grid: (grid) =>
                  gridOf(grid).map(({ volume, inverse }) =>
                    ob.evidenceCost(
                      volume,
                      otherPower - ob.dot(squares, inverse),
                      otherPower,
                      count,
                    ),
                  ),
              })
            : penalty;
        return share(eigenvalues, squares, otherPower, own);
      },
    };
  };

  /* The same as fitMoments, from the rows: where a small penalty needs all digits. */
  ob.fitRows = (features, targets, ridge) => {
    const found = ob.fit(features, targets, ridge);
    const width = features.length;
    const moments = (columns, scaleOf) => {
      const mean = columns.map(ob.mean);
      const scale = columns.map((column, i) => {
        const left = ob.less(column, mean[i]);
        return scaleOf(ob.dot(left, left) / left.length, mean[i], width);
      });
      return [mean, scale];
    };
    const [mean, scale] = moments(features, ob.featureScale);
    const [targetMean, targetScale] = moments(targets, ob.targetScale);
    const { eigenvalues, explained, penalty } = found;
    const freedom = ob.effectiveWeights(eigenvalues, penalty);
    const weights = () =>
      ob.times(
        found.axes,
        found.readout.map((column) =>
          column.map((value, i) => (eigenvalues[i] > 0 ? value / Math.sqrt(eigenvalues[i]) : 0)),
        ),
        width,
      );
    return { penalty, mean, scale, targetMean, targetScale, explained, freedom, weights };
  };

  /* sum k / (k + l): how many weights a readout has in effect. */
  ob.effectiveWeights = (eigenvalues, penalty) =>
    ob.sum(eigenvalues.map((k) => (penalty === Infinity ? 0 : k / (k + penalty))));
});
