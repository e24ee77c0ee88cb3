"use strict";
/* What is scored: columns in common units, and windows cut from a series. A task is
     inputs, targets   what the observer gets, as columns of samples
     series            for one series, its columns in the units of inputs and of targets
     windows           history and lead times, for a series
     units             what targets were divided by
     memory            correlation time of a series, in steps */
LN.observerParts.push((ob) => {
  const LARGEST = 1e150;

  /* Mean and deviation of a column, 1 for a constant one; in powers of two, which do not round. */
  function spreadOf(column) {
    const most = column.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const unit = most > 0 ? 2 ** Math.ceil(Math.log2(most)) : 1;
    const scaled = column.map((value) => value / unit);
    const mean = ob.mean(scaled);
    const variance = ob.sum(scaled.map((value) => (value - mean) ** 2)) / column.length;
    const isConstant = ob.isConstant(variance, mean);
    return {
      mean: mean * unit,
      deviation: isConstant ? 1 : Math.sqrt(variance) * unit,
      variance: variance * unit * unit,
    };
  }

  /* Whether several targets are zeros and ones, a single one in every row. */
  const areClasses = (columns) =>
    columns.length > 1 &&
    columns.every((column) => column.every((value) => value === 0 || value === 1)) &&
    columns[0].every((_, i) => ob.sum(columns.map((column) => column[i])) === 1);

  function check(columns, what) {
    columns.forEach((column, j) => {
      const bad = column.findIndex((value) => !(Math.abs(value) < LARGEST));
      if (bad >= 0)
        throw new ob.Refusal(
          `expected finite numbers in ${what} column ${j + 1}, got ${column[bad]} in row ${bad + 1}`,
        );
    });
  }
  /* A sentence for the user, not a fault of the program. */
  ob.Refusal = class Refusal extends Error {};

  ob.cutInputs = (columns, { history, reach }) => {
    const samples = columns[0].length - reach;
    return Array.from({ length: history }, (_, i) =>
      columns.map((column) => column.slice(i, i + samples)),
    ).flat();
  };
  ob.cutTargets = (columns, { history, leads, reach }) => {
    const samples = columns[0].length - reach;
    const now = history - 1;
    return leads.flatMap((lead) =>
      columns.map((column) => column.slice(now + lead, now + lead + samples)),
    );
  };

  /* The longest integrated autocorrelation time over columns, in steps: 1 + 2 sum of
     autocorrelations up to the first that is below 0.05. */
  function correlationTime(columns) {
    let longest = 1;
    for (const column of columns) {
      const mean = ob.mean(column);
      const centred = ob.less(column, mean);
      const power = ob.dot(centred, centred);
      if (!(power > 0)) continue;
      let total = 1;
      for (let lag = 1; lag < column.length; lag++) {
        const rho = ob.dot(centred.subarray(lag), centred) / power;
        if (rho < 0.05) break;
        total += 2 * rho;
      }
      longest = Math.max(longest, total);
    }
    return Math.ceil(longest);
  }

  ob.prepare = ({ inputs, targets, window, history = 1 }) => {
    const isSeries = window !== undefined;
    check(inputs, "input");
    check(targets ?? [], "target");
    const spreads = inputs.map(spreadOf);
    const x = inputs.map((column, j) =>
      column.map((value) => (value - spreads[j].mean) / spreads[j].deviation),
    );
    const future = targets ?? inputs;
    let units = future.map((column) => spreadOf(column).deviation);
    if (targets && areClasses(targets)) {
      const power = ob.sum(targets.map((column) => spreadOf(column).variance));
      units = units.map(() => Math.sqrt(power / targets.length));
    }
    const y = future.map((column, j) => column.map((value) => value / units[j]));
    if (!isSeries) {
      if (x[0].length < 2)
        throw new ob.Refusal(`inputs must hold at least two samples, got ${x[0].length}`);
      ob.refuseCopies([...inputs, ...future]);
      return { inputs: x, targets: y, memory: 1, units };
    }
    const leads = Array.from({ length: window }, (_, i) => i + 1);
    const windows = { history, leads, reach: history - 1 + window };
    if (x[0].length - windows.reach < 2)
      throw new ob.Refusal(
        `history=${history} and a farthest lead of ${window} need a series of at least ${history + window + 1} steps, got ${x[0].length}`,
      );
    return {
      inputs: ob.cutInputs(x, windows),
      targets: ob.cutTargets(y, windows),
      series: { x, y },
      units,
      windows,
      memory: Math.max(correlationTime(x), correlationTime(y)),
    };
  };
});
