"use strict";
/* How large the largest root of pure noise is: the law of Tracy and Widom, shifted and scaled
   (Johnstone 2001 and 2008), in the gamma approximation of Chiani (2014). With one target it is the
   F test. The same formulas as learnable_novelty.observer.largest_root. */
LN.observerParts.push((ob) => {
  const [SHAPE, SCALE, SHIFT] = [46.446, 0.186054, 9.84801];
  ob.TRACY_WIDOM = { mean: -1.2065, deviation: 1.268 };

  /* log Gamma(x) for x > 0, by Stirling's series from 15 on. */
  function logGamma(x) {
    let shift = 0;
    let z = x;
    for (; z < 15; z++) shift += Math.log(z);
    const w = 1 / (z * z);
    const series = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / z;
    return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
  }
  /* The regularized upper incomplete gamma function: a series below, a continued fraction above. */
  function upperGamma(a, x) {
    const front = Math.exp(a * Math.log(x) - x - logGamma(a));
    if (x < a + 1) {
      let [term, sum] = [1 / a, 1 / a];
      for (let k = 1; k < 1000 && term > 1e-17 * sum; k++) {
        term *= x / (a + k);
        sum += term;
      }
      return 1 - front * sum;
    }
    let b = x + 1 - a;
    let [c, d] = [1e300, 1 / b];
    let value = d;
    for (let k = 1; k < 1000; k++) {
      const term = -k * (k - a);
      b += 2;
      d = 1 / (term * d + b);
      c = b + term / c;
      value *= c * d;
      if (Math.abs(c * d - 1) < 1e-16) break;
    }
    return front * value;
  }
  ob.upperTail = (x) => (x <= -SHIFT ? 1 : upperGamma(SHAPE, (x + SHIFT) / SCALE));
  /* The x whose upper tail is this. */
  ob.tailQuantile = (tail) => {
    let [low, high] = [-SHIFT, 40];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (ob.upperTail(middle) > tail) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };

  /* The regularized incomplete beta function, by its continued fraction. */
  ob.incompleteBeta = (a, b, x) => {
    if (x <= 0 || x >= 1) return x >= 1 ? 1 : 0;
    if (x > (a + 1) / (a + b + 2)) return 1 - ob.incompleteBeta(b, a, 1 - x);
    const front =
      logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
    let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
    let value = d;
    for (let k = 1; k < 500; k++) {
      const even = (k * (b - k) * x) / ((a + 2 * k - 1) * (a + 2 * k));
      const odd = (-(a + k) * (a + b + k) * x) / ((a + 2 * k) * (a + 2 * k + 1));
      const before = value;
      for (const term of [even, odd]) {
        d = 1 / (1 + term * d);
        c = 1 + term / c;
        value *= c * d;
      }
      if (Math.abs(value - before) <= 1e-15 * Math.abs(value)) break;
    }
    return (Math.exp(front) * value) / a;
  };

  function rootWhere(holds) {
    let [low, high] = [0, 1];
    while (!holds(high) && high < 1e300) [low, high] = [high, 4 * high];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (holds(middle)) high = middle;
      else low = middle;
    }
    return high;
  }
  function wishart(directions, targets, x) {
    const [a, b] = [Math.sqrt(directions - 0.5), Math.sqrt(targets - 0.5)];
    return (a + b) ** 2 + (a + b) * (1 / a + 1 / b) ** (1 / 3) * x;
  }
  function doubleWishart(directions, targets, freedom) {
    const size = freedom + directions - 1;
    const angle = (value) => 2 * Math.asin(Math.sqrt((value - 0.5) / size));
    const [g, p] = [angle(Math.min(directions, targets)), angle(Math.max(directions, targets))];
    const spread = 16 / size ** 2 / (Math.sin(p + g) ** 2 * Math.sin(p) * Math.sin(g));
    return [2 * Math.log(Math.tan((p + g) / 2)), spread ** (1 / 3)];
  }

  /* The root whose upper tail is that of x, for r directions, D targets, f degrees of freedom. */
  ob.largestRoot = ({ directions, targets, freedom, estimated = 1, common = 1 }, x) => {
    if (targets === 1) {
      const tail = ob.upperTail(x);
      const beyond = (root) =>
        ob.incompleteBeta(freedom / 2, directions / 2, freedom / (freedom + root));
      return rootWhere((root) => beyond(root) <= tail);
    }
    const wide = Math.max(1, targets / common);
    const [centre, scale] = doubleWishart(directions, estimated, freedom);
    const known = (width) => wishart(directions, width, Math.max(x, 0));
    const root = freedom * Math.exp(centre + scale * x);
    return (root * common * known(wide)) / known(estimated);
  };
});
