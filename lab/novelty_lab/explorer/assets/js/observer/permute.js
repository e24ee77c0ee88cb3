"use strict";
/* Rearrangements: what chance would explain. Rows of targets are permuted; of one series the time
   steps are, and inputs and targets change together. Orders are those of Python. */
LN.observerParts.push((ob) => {
  const FEWEST_SIGNS = 199;

  /* Orders of rows, one generator for all of them. */
  ob.rowOrders = (seed, count, rows) => {
    const words = ob.words(ob.split(seed, "null"), "null", "rows");
    return Array.from({ length: count }, () => ob.permutation(words, rows));
  };
  ob.shuffles = (seed, count, length) =>
    Array.from({ length: count }, (_, i) =>
      ob.permutation(ob.words(seed, "surrogate", "time", i), length),
    );

  const moved = (columns, order) => columns.map((column) => ob.gather(column, order));
  const powerOf = (columns) => ob.sum(columns.map((column) => ob.dot(column, column)));

  /* Shares that the same features explain of permuted targets. */
  ob.permutedShares = (fit, orders, tick) => {
    const power = powerOf(fit.targets);
    return Float64Array.from(orders, (order) => {
      tick();
      return fit.explainedOf(ob.products(fit.components, moved(fit.targets, order)), power);
    });
  };
  /* Shares explained of one series whose steps are shuffled. */
  ob.shuffledShares = (task, reservoir, orders, ridge, tick) => {
    const { series, windows } = task;
    const table = windows.history === 1 ? tableOf(series, windows, reservoir) : null;
    return Float64Array.from(orders, (order) => {
      tick();
      const targets = ob.cutTargets(moved(series.y, order), windows);
      if (table) return table.share(order, targets, ridge);
      const features = ob.features(reservoir, ob.cutInputs(moved(series.x, order), windows));
      return shareOf(features, targets, ridge);
    });
  };
  function shareOf(features, targets, ridge) {
    const offsets = { features: features.map(ob.mean), targets: targets.map(ob.mean) };
    const centred = (columns, means) => columns.map((column, j) => ob.less(column, means[j]));
    const [h, y] = [centred(features, offsets.features), centred(targets, offsets.targets)];
    const fit = ob.fitMoments(ob.momentsOf(h, y), ridge, offsets);
    return (fit ?? ob.fitRows(h, y, ridge)).explained;
  }
  /* With a history of one, a shuffle reorders inputs that were all seen before: the products of
     all but the last few rows are those of all rows, less a few. */
  function tableOf(series, { reach }, reservoir) {
    const features = ob.features(reservoir, series.x);
    const means = features.map(ob.mean);
    const h = features.map((column, j) => ob.less(column, means[j]));
    const all = ob.momentsOf(h, []);
    return {
      share(order, targets, ridge) {
        const samples = order.length - reach;
        const offsets = { features: means, targets: targets.map(ob.mean) };
        const y = targets.map((column, j) => ob.less(column, offsets.targets[j]));
        const rest = ob.without(all, ob.momentsOf(moved(h, order.subarray(samples)), []));
        // Targets are put in the places of their inputs: so no feature moves.
        const placed = y.map((column) => {
          const made = new Float64Array(order.length);
          for (let i = 0; i < samples; i++) made[order[i]] = column[i];
          return made;
        });
        const moments = {
          ...rest,
          targetSums: Float64Array.from(y, ob.sum),
          cross: ob.products(h, placed),
          targetPower: Float64Array.from(y, (column) => ob.dot(column, column)),
        };
        const fit = ob.fitMoments(moments, ridge, offsets);
        return (fit ?? ob.fitRows(moved(h, order.subarray(0, samples)), y, ridge)).explained;
      },
    };
  }

  /* Shares explained of targets turned by a random sign each, and of targets times Mammen's weights:
     both keep the size of every target, and whatever the inputs tell of it, and destroy what they
     tell of its mean. Signs are right for symmetric noise, these weights where it is skewed. */
  const ROOT = Math.sqrt(5);
  const WEIGHTS = {
    signs: (words, length) =>
      Float64Array.from(ob.integers(words, 2, length), (bit) => 2 * bit - 1),
    skewed: (words, length) =>
      ob.fractions(words, length).map((u) => (1 + (u < 0.5 + 0.1 * ROOT ? -ROOT : ROOT)) / 2),
  };
  ob.wildShares = (fit, task, seed, shuffles, tick) => {
    const count = Math.max(FEWEST_SIGNS, shuffles);
    return Object.entries(WEIGHTS).map(([kind, draw]) => {
      const words = ob.words(seed, kind, "mean");
      return Float64Array.from({ length: count }, () => {
        tick();
        return weighted(fit, task, (length) => draw(words, length));
      });
    });
  };
  function weighted(fit, task, draw) {
    const samples = task.inputs[0].length;
    const { windows } = task;
    const drawn = draw(windows ? samples + windows.reach : samples);
    const each = windows
      ? ob.cutTargets([drawn], windows).flatMap((one) => Array(task.series.y.length).fill(one))
      : Array(fit.targets.length).fill(drawn);
    const turned = fit.targets.map((column, j) => column.map((value, i) => value * each[j][i]));
    const power = ob.sum(
      turned.map((column) => {
        const left = ob.less(column, ob.mean(column));
        return ob.dot(left, left);
      }),
    );
    return fit.explainedOf(ob.products(fit.components, turned), power);
  }

  /* (1 + number of null values at least as large) / (1 + number of null values). */
  ob.pValue = (shares, observed) => {
    if (!shares.length) return null;
    const beaten = shares.filter((share) => share >= observed - 1e-10).length;
    return (1 + beaten) / (1 + shares.length);
  };
});
