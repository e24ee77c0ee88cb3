"use strict";
/* The rule of rounding of learnable_novelty.observer.digits: a score is right to six digits, or it
   is refused. Where rows were factored, rounding changes the readout W by A^-1 (N'R - H~'N W),
   A = H~'H~ + l, |N| = eps |H~|, with residuals R; to first order the score changes by
   2 tr G' dW, G = W (I + W'W)^-1. */
LN.observerParts.push((ob) => {
  const EPS = 2 * 2 ** -52;
  const TOLERANCE = 1e-6;

  const length = (column) => Math.sqrt(ob.dot(column, column));
  const weighted = (columns, weights) =>
    columns.map((column) => column.map((value, i) => value * weights[i]));

  /* T = L^-1 with LL' = I + W'W, as columns; null where that is not positive definite. */
  function whitening(readout) {
    const gram = ob.products(readout, readout);
    gram.forEach((column, i) => {
      column[i] += 1;
    });
    const factor = ob.cholesky(gram);
    if (!factor) return null;
    const size = factor.length;
    return ob.identity(size).map((column) => {
      for (let i = 0; i < size; i++) {
        column[i] /= factor[i][i];
        for (let j = i + 1; j < size; j++) column[j] -= factor[i][j] * column[i];
      }
      return column;
    });
  }

  /* Norms of the columns of Y~ - H~W, without a difference of large sums. */
  const residualNorms = ({ cross, eigenvalues, outside }, penalty) =>
    cross.map((column, j) => {
      let total = outside[j][j];
      for (let i = 0; i < column.length; i++)
        if (eigenvalues[i] > 0)
          total += column[i] ** 2 / eigenvalues[i] / (1 + eigenvalues[i] / penalty) ** 2;
      return Math.sqrt(total);
    });

  /* A bound on the error of log2 det(I + W W'). */
  ob.roundingError = (axes, readout, penalty, width) => {
    const { eigenvalues, count, targetPower } = axes;
    const rank = eigenvalues.length;
    const isWide = readout.length > rank;
    const narrow = isWide ? ob.transposed(readout, rank) : readout;
    const turn = whitening(narrow);
    if (!turn) return Infinity;
    const rows = narrow[0].length;
    const turned = ob.times(narrow, ob.transposed(turn, turn.length), rows);
    const gradients = ob.times(turned, turn, rows);
    const gradient = isWide ? ob.transposed(gradients, rows) : gradients;
    const size = ob.sum(eigenvalues);
    const smallest = eigenvalues.reduce((a, b) => Math.min(a, b), Infinity);
    let least = penalty;
    if (rank === width && rank < count)
      least += Math.max(0, smallest - 2 * EPS * Math.sqrt(size * smallest));
    const relative = EPS * Math.sqrt(size);
    const noise = residualNorms(axes, penalty).map((norm) => relative * norm);
    const shrink = eigenvalues.map((k) => 1 / (k + penalty));
    const pulled = weighted(
      gradient,
      shrink.map((value, i) => value * Math.sqrt(eigenvalues[i])),
    );
    // |diag(w) G W'| squared is the trace of the products of (wG)'(wG) and W'W.
    const [mine, theirs] = [ob.products(pulled, pulled), ob.products(readout, readout)];
    const both = ob.sum(mine.map((column, j) => ob.dot(column, theirs[j])));
    let first = relative * Math.sqrt(Math.max(0, both));
    weighted(gradient, shrink).forEach((column, j) => {
      first += EPS * length(pulled[j]) * Math.sqrt(targetPower[j]) + length(column) * noise[j];
    });
    const spread = isWide
      ? noise
      : ob
          .transposed(turn, turn.length)
          .map((row) => ob.sum(row.map((value, j) => Math.abs(value) * noise[j])));
    const together = ob.sum(gradient.map((column, j) => ob.dot(column, readout[j])));
    const second =
      (together * relative ** 2) / (4 * penalty) +
      ob.sum(spread.map((value) => value ** 2)) / least ** 2;
    return (2 * first + second) / Math.LN2;
  };

  ob.refuseRounding = (axes, readout, penalty, width, log2det) => {
    if (penalty === Infinity) return;
    const error = ob.roundingError(axes, readout, penalty, width);
    if (error <= TOLERANCE * Math.max(2, log2det)) return;
    throw new ob.Refusal(
      `rounding may change the score of ${(log2det / 2).toPrecision(6)} bits by ${(error / 2).toExponential(1)} with a ridge_penalty of ${penalty.toExponential(1)}: the targets follow from the inputs without noise, or there are too few rows`,
    );
  };
});
