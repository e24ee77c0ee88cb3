"use strict";
/* The share of variance explained in rows that the readout has not seen: ten folds, each predicted
   by a readout, penalty included, that was fitted without it. With e and t the squared errors of
   the readout and of the mean, it is 1 - sum e / sum t; its interval as in
   learnable_novelty.measure.held_out. */
LN.observerParts.push((ob) => {
  const FOLDS = 10;
  const [RESAMPLES, POWER, LEAST, MOST] = [999, 0.65, 12, 2000];

  /* To the nearest whole number, and halves to even, as Python rounds. */
  ob.round = (value) => {
    const floor = Math.floor(value);
    const half = value - floor;
    return half === 0.5 ? floor + (floor % 2) : Math.round(value);
  };
  ob.bounds = (size, parts) =>
    Array.from({ length: parts + 1 }, (_, i) => ob.round((i * size) / parts));

  /* Cut samples into folds: at random, or in time with a gap around each; null for too few. */
  ob.cutFolds = (samples, gap, seed) => {
    const count = Math.min(FOLDS, Math.floor(samples / 2));
    if (count < 2) return null;
    const bounds = ob.bounds(samples, count);
    const order =
      gap === null
        ? ob.permutation(ob.words(seed, "folds"), samples)
        : Uint32Array.from({ length: samples }, (_, i) => i);
    const around = gap === null ? 0 : Math.min(gap, Math.floor(samples / (4 * count)));
    return { order, bounds, around };
  };

  const taken = (columns, from, to) => columns.map((column) => column.subarray(from, to));
  const others = (columns, from, to) =>
    columns.map((column) => {
      const made = new Float64Array(column.length - to + from);
      made.set(column.subarray(0, from));
      made.set(column.subarray(to), from);
      return made;
    });

  /* Squared errors of all samples, and predictions of a single target, each without its fold. */
  ob.heldOut = (features, targets, ridge, { order, bounds, around }) => {
    const samples = order.length;
    const offsets = { features: features.map(ob.mean), targets: targets.map(ob.mean) };
    const centred = (columns, means) =>
      columns.map((column, j) => ob.less(ob.gather(column, order), means[j]));
    const h = centred(features, offsets.features);
    const y = centred(targets, offsets.targets);
    const all = ob.momentsOf(h, y);
    const errors = new Float64Array(samples);
    const spread = new Float64Array(samples);
    const predicted = new Float64Array(targets.length === 1 ? samples : 0);
    let freedom = 0;
    for (let fold = 0; fold + 1 < bounds.length; fold++) {
      const [start, end] = [bounds[fold], bounds[fold + 1]];
      const [from, to] = [Math.max(0, start - around), Math.min(samples, end + around)];
      const rest = ob.without(all, ob.momentsOf(taken(h, from, to), taken(y, from, to)));
      const fit =
        ob.fitMoments(rest, ridge, offsets) ??
        ob.fitRows(others(h, from, to), others(y, from, to), ridge);
      freedom += fit.freedom / (bounds.length - 1);
      const weights = fit.weights();
      y.forEach((column, j) => {
        const mean = column
          .subarray(start, end)
          .map((value) => (value - fit.targetMean[j]) * fit.targetScale[j]);
        const left = mean.slice();
        h.forEach((feature, k) => {
          const weight = weights[j][k] * fit.scale[k];
          for (let i = 0; i < left.length; i++)
            left[i] -= (feature[start + i] - fit.mean[k]) * weight;
        });
        for (let i = 0; i < left.length; i++) {
          errors[order[start + i]] += left[i] ** 2;
          spread[order[start + i]] += mean[i] ** 2;
          if (predicted.length) {
            const learned = (mean[i] - left[i]) / (fit.targetScale[j] || 1);
            predicted[order[start + i]] = offsets.targets[j] + fit.targetMean[j] + learned;
          }
        }
      });
    }
    return { errors, spread, freedom, predicted };
  };

  /* How many blocks of consecutive samples count as independent of each other. */
  ob.independentUnits = (samples, memory, isSeries) =>
    isSeries ? Math.min(samples, Math.max(10, Math.floor(samples / (4 * memory)))) : samples;

  const meanOf = (many) => {
    const made = new Float64Array(many[0].length);
    for (const one of many) ob.add(made, one, 1 / many.length);
    return made;
  };

  /* The share and its 95% interval, each cut at 0. */
  ob.heldOutShare = (many, units, rows) => {
    const errors = meanOf(many.map((one) => one.errors));
    const spread = meanOf(many.map((one) => one.spread));
    const freedom = ob.sum(many.map((one) => one.freedom)) / many.length;
    const same = errors.every((e, i) => Math.abs(e - spread[i]) <= 1e-9 * Math.abs(spread[i]));
    if (!(ob.sum(spread) > 0) || same) return [0, [0, 0]];
    const count = Math.min(units, errors.length);
    const bounds = ob.bounds(errors.length, count);
    const grouped = (values) =>
      Float64Array.from({ length: count }, (_, i) =>
        ob.sum(values.subarray(bounds[i], bounds[i + 1])),
      );
    const [e, t] = [grouped(errors), grouped(spread)];
    const ratio = ob.sum(e) / ob.sum(t);
    if (ratio === 0) return [1, [1, 1]];
    const error = Math.hypot(logError(e, t), (2 * Math.sqrt(freedom)) / rows);
    const interval = quantiles(e, t).map((q) =>
      Math.max(0, 1 - Math.exp(Math.min(Math.log(ratio) - q * error, 700))),
    );
    return [Math.max(0, 1 - ratio), interval];
  };

  /* sqrt(sum (e - r t)^2) / sum e, the standard error of log r. */
  function logError(e, t) {
    const total = ob.sum(e);
    const ratio = total / ob.sum(t);
    let squares = 0;
    for (let i = 0; i < e.length; i++) squares += (e[i] - ratio * t[i]) ** 2;
    return Math.sqrt(squares) / total;
  }
  /* The 2.5% and 97.5% points of log r / se(log r), from small resamples; at least Student's. */
  function quantiles(e, t) {
    const size = Math.min(Math.max(ob.round(e.length ** POWER), LEAST), e.length, MOST);
    const words = ob.numpyWords(0);
    const log = Math.log(ob.sum(e) / ob.sum(t));
    const points = [];
    for (let k = 0; k < RESAMPLES; k++) {
      const chosen = ob.integers(words, e.length, size);
      const some = ob.gather(e, chosen);
      const other = ob.gather(t, chosen);
      const point = (Math.log(ob.sum(some) / ob.sum(other)) - log) / logError(some, other);
      if (!Number.isNaN(point)) points.push(point);
    }
    const least = student(e.length - 1);
    if (!points.length) return [-least, least];
    points.sort((a, b) => a - b);
    const at = (q) => points[Math.max(0, Math.ceil(q * points.length) - 1)];
    return [Math.min(at(0.025), -least), Math.max(at(0.975), least)];
  }
  /* The 97.5% point of Student's distribution with a whole number of degrees of freedom: with
     t = sqrt(freedom) tan(angle), P(|T| < t) is a finite series (Abramowitz and Stegun 26.7.3-4). */
  function student(freedom) {
    const isOdd = freedom % 2 === 1;
    function inside(angle) {
      const cosine = Math.cos(angle);
      let term = isOdd ? cosine : 1;
      let series = freedom > 1 ? term : 0;
      for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
        term *= (cosine * cosine * (k - 1)) / k;
        series += term;
      }
      const sum = Math.sin(angle) * series;
      return isOdd ? (2 / Math.PI) * (angle + sum) : sum;
    }
    let [low, high] = [0, Math.PI / 2];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (inside(middle) < 0.95) low = middle;
      else high = middle;
    }
    return Math.sqrt(freedom) * Math.tan(low);
  }
});
