"use strict";
/* The ridge of largest marginal likelihood. With k the eigenvalues of H~'H~, b the coordinates of
   H~'Y~ and l the penalty, up to constants,

     -2 log p / D = sum log(1 + k / l) + (n - 1) log(|Y~|^2 - sum |b|^2 / (k + l)).

   A problem tells its cost, the slope of that by log l, and its largest eigenvalue. The search is
   that of learnable_novelty.observer.evidence: a grid, then the root of the slope beside it. */
LN.observerParts.push((ob) => {
  const POINTS = 65;
  const STEPS = 12;
  const HALVINGS = 36;
  const EPS = 2 ** -52;
  const [SMALLEST, LARGEST, USELESS] = [4096 * EPS, 1e12, 1e8];

  /* The cost, and its slope, of sums over directions: volume, what is left of |Y~|^2, and more. */
  ob.evidenceCost = (volume, left, power, count) =>
    volume + (count - 1) * Math.log(Math.max(left, EPS * power));
  ob.evidenceSlope = (used, weighted, left, power, count, penalty) => {
    const tiny = EPS * power;
    return (left > tiny ? ((count - 1) * penalty * weighted) / left : 0) - used;
  };

  const least = (costs) => costs.indexOf(Math.min(...costs));

  ob.evidencePenalty = (problem) => {
    const { top, power, count } = problem;
    // Two samples have the same evidence at every penalty: rounding must not choose one.
    if (!(top > 0) || !(count > 2) || !(power > 0)) return Infinity;
    const low = Math.log(SMALLEST * top);
    const step = (Math.log(LARGEST * top) - low) / (POINTS - 1);
    const grid = Float64Array.from({ length: POINTS }, (_, i) => low + step * i);
    const costs = problem.grid
      ? problem.grid(grid)
      : Array.from(grid, (x) => problem.cost(Math.exp(x)));
    let best = grid[least(costs)];
    const leastUsed = low + step * (POINTS - 1) - Math.log(LARGEST / USELESS);
    if (best < leastUsed) best = root(problem, best, step);
    const penalty = Math.exp(best);
    return problem.cost(penalty) < problem.cost(Infinity) ? penalty : Infinity;
  };

  /* log l where the slope vanishes within a step of the centre, by the method of Ridders. */
  function root(problem, centre, step) {
    const slope = (x) => problem.slope(Math.exp(x));
    let [low, high] = [centre - step, centre + step];
    let [fLow, fHigh] = [slope(low), slope(high)];
    if (!(fLow < 0 && fHigh > 0)) return kink(problem, centre, step);
    let found = centre;
    for (let i = 0; i < STEPS; i++) {
      const middle = (low + high) / 2;
      const fMiddle = slope(middle);
      const scale = Math.sqrt(Math.abs(fMiddle * fMiddle - fLow * fHigh));
      const turn = scale > 0 ? Math.min(1, Math.max(-1, fMiddle / scale)) : 0;
      const next = middle - (middle - low) * turn;
      const done = Math.abs(next - found) <= 1e-12;
      found = next;
      if (done) break;
      for (const [x, f] of [
        [middle, fMiddle],
        [found, slope(found)],
      ]) {
        if (f > 0 && x < high) [high, fHigh] = [x, f];
        else if (f <= 0 && x > low) [low, fLow] = [x, f];
      }
    }
    return found;
  }

  /* log l at the least cost near the centre, and there where the slope turns. */
  function kink(problem, centre, step) {
    const half = (POINTS - 1) / 2;
    const fine = step / half;
    const grid = Array.from({ length: POINTS }, (_, i) => centre + fine * (i - half));
    const best = grid[least(grid.map((x) => problem.cost(Math.exp(x))))];
    let [low, high] = [best - fine, best + fine];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (problem.slope(Math.exp(middle)) > 0) high = middle;
      else low = middle;
    }
    return (low + high) / 2;
  }
});
