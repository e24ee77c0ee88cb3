"use strict";
/* The score of one series, or of rows of inputs and targets, as ln.score has it: each reservoir
   is fitted, held out and tested; then all are averaged. Left out: denoised bits and floor, the
   test for a bend, importance of inputs, power, learning curves, and data other than vectors. */
LN.observerParts.push((ob) => {
  const FEWEST = 4;
  const DRAWS = 8;
  const MOST_POINTS = 400;

  const mean = (values) => ob.sum(values) / values.length;
  const meanOf = (many) => {
    const made = new Float64Array(many[0].length);
    for (const one of many) ob.add(made, one, 1 / many.length);
    return made;
  };

  /* request: inputs, targets (columns, or none for the future of a series), window, history,
     draws, shuffles (of the test; "auto" for as many as Python), ridge ("evidence" or a number),
     seed, and linearLast (whether the reservoir's last layer is linear). report(share) is called
     between steps, and may throw to end it. */
  ob.score = (request, report = (_share) => {}) => {
    const all = Array.from({ length: request.draws ?? DRAWS }, (_, i) => i);
    return ob.summarize(request, ob.measureDraws(request, all, report));
  };
  /* What some of the reservoirs measure, by their numbers. */
  ob.measureDraws = (request, numbers, report) => {
    const task = ob.prepare(request);
    const settings = settingsOf(request, task);
    const orders = ordersOf(task, settings.seed, settings.shuffles);
    return numbers.map((number, i) => ({
      ...measure(task, ob.split(settings.seed, "draw", number), settings, orders, (part) =>
        report((i + part) / numbers.length),
      ),
      // A straight line of the inputs, on the same folds: once for all reservoirs.
      straight:
        number === 0 && orders.folds
          ? ob.heldOut(task.inputs, task.targets, "evidence", orders.folds)
          : null,
    }));
  };

  /** @param {ScoreRequest} request */
  function settingsOf(request, task) {
    const {
      draws = DRAWS,
      ridge = "evidence",
      seed = 0,
      shuffles = "auto",
      linearLast = false,
    } = request;
    const isSeries = task.windows !== undefined;
    const samples = task.inputs[0].length;
    const refusal =
      !isSeries && shuffles !== 0 && samples < FEWEST
        ? `a permutation test needs at least ${FEWEST} samples to find anything, got ${samples}; measure more`
        : null;
    const count = shuffles === "auto" ? (isSeries ? 99 : 999) : shuffles;
    return { draws, ridge, seed, refusal, shuffles: refusal ? 0 : count, linearLast };
  }

  function ordersOf(task, seed, shuffles) {
    const samples = task.inputs[0].length;
    const isSeries = task.windows !== undefined;
    const gap = isSeries ? task.windows.reach + task.memory : null;
    return {
      folds: ob.cutFolds(samples, gap, seed),
      test: isSeries
        ? ob.shuffles(seed, shuffles, task.series.x[0].length)
        : ob.rowOrders(seed, shuffles, samples),
    };
  }

  /* What one reservoir measures. */
  function measure(task, drawSeed, settings, orders, report) {
    const { ridge, seed, shuffles, linearLast } = settings;
    const width = ob.defaultWidth(task.inputs[0].length);
    const reservoir = ob.drawReservoir(drawSeed, task.inputs.length, width, linearLast);
    const features = ob.features(reservoir, task.inputs);
    const fit = ob.fit(features, task.targets, ridge);
    const heldOut = orders.folds && ob.heldOut(features, task.targets, ridge, orders.folds);
    let ticks = 0;
    const tick = () => {
      if (ticks++ % 16 === 0) report(0.1 + (0.9 * ticks) / (3 * shuffles + 400));
    };
    report(0.1);
    const nullShares = task.windows
      ? ob.shuffledShares(task, reservoir, orders.test, ridge, tick)
      : ob.permutedShares(fit, orders.test, tick);
    return {
      bits: fit.bits,
      explained: fit.explained,
      heldOut,
      nullShares,
      wildShares: shuffles ? ob.wildShares(fit, task, seed, shuffles, tick) : [],
    };
  }

  /* Observed and predicted values of a single target, in its own unit; some of many. */
  function pointsOf(task, held) {
    const predicted = meanOf(held.map((one) => one.predicted));
    const [unit, observed] = [task.units[0], task.targets[0]];
    const step = Math.ceil(predicted.length / MOST_POINTS);
    return Array.from(predicted.keys())
      .filter((i) => i % step === 0)
      .map((i) => [observed[i] * unit, predicted[i] * unit]);
  }

  /* Average over reservoirs first, then compare. */
  ob.summarize = (request, found) => {
    const task = ob.prepare(request);
    const { draws, shuffles, refusal } = settingsOf(request, task);
    const samples = task.inputs[0].length;
    const isSeries = task.windows !== undefined;
    const explained = mean(found.map((one) => one.explained));
    const anyP = ob.pValue(meanOf(found.map((one) => one.nullShares)), explained);
    const meanP = found[0].wildShares.map((_, kind) =>
      ob.pValue(meanOf(found.map((one) => one.wildShares[kind])), explained),
    );
    const memory = task.memory + (task.windows?.reach ?? 0);
    const units = ob.independentUnits(samples, memory, isSeries);
    const held = found.map((one) => one.heldOut).filter((one) => one !== null);
    const shareOf = (errors) =>
      errors.length ? ob.heldOutShare(errors, units, samples) : [NaN, [NaN, NaN]];
    const [share, interval] = shareOf(held);
    const [line, lineInterval] = shareOf(held.length ? [found[0].straight] : []);
    return {
      bits: mean(found.map((one) => one.bits)),
      explained_variance: explained,
      held_out_variance: share,
      held_out_interval: interval,
      linear_variance: line,
      linear_interval: lineInterval,
      // Noise whose size depends on the inputs is a dependence, and nothing that can be learned.
      p_value: anyP === null ? null : Math.max(anyP, ...meanP),
      dependence_p_value: anyP,
      null_count: shuffles,
      num_samples: samples,
      target_dim: task.targets.length,
      draws,
      is_series: isSeries,
      refusal,
      cautions: ob.cautions(task, shuffles > 0),
      points: held.length ? pointsOf(task, held) : [],
    };
  };
});
