"use strict";
/* What in the data makes a p-value less than it seems, as learnable_novelty.measure.cautions:
   rows that resemble their neighbours, and extreme outliers; copies of rows are refused. */
LN.observerParts.push((ob) => {
  const [REPEATED, NEIGHBOURS, FAR, HEAVY] = [0.01, 4, 8, 0.2];

  /* Copies of rows are refused: in Python equal rows are one group. Where all columns have few
     values rows repeat by themselves. */
  ob.refuseCopies = (columns) => {
    const rows = columns[0].length;
    const different = new Set(
      Array.from({ length: rows }, (_, i) => columns.map((column) => column[i]).join(" ")),
    ).size;
    const copies = rows - different;
    const widest = columns.reduce((most, column) => Math.max(most, new Set(column).size), 0);
    if (copies < Math.max(1, REPEATED * rows) || widest < 0.9 * different || different < 2) return;
    throw new ob.Refusal(
      `${copies} of ${rows} rows repeat others, and copies make chance look like a finding; keep one of each, or score the file in Python, where equal rows are one group`,
    );
  };

  /* The largest lag-1 correlation of a column. */
  function lagOne(columns) {
    let largest = 0;
    for (const column of columns) {
      const centred = ob.less(column, ob.mean(column));
      const power = ob.dot(centred, centred);
      const found = power > 0 ? ob.dot(centred.subarray(1), centred) / power : 0;
      if (Math.abs(found) > Math.abs(largest)) largest = found;
    }
    return largest;
  }
  function neighbours(x, y) {
    const rows = x[0].length;
    if (rows < 20) return null;
    const [inputs, targets] = [lagOne(x), lagOne(y)];
    if (Math.min(Math.abs(inputs), Math.abs(targets)) < NEIGHBOURS / Math.sqrt(rows)) return null;
    return `neighbouring rows are alike (lag-1 correlation ${inputs.toFixed(2)} of inputs, ${targets.toFixed(2)} of targets), so the p-value may be too small: score time steps as a series, with window or leads, and rows of the same person, plot or batch with groups`;
  }

  /* How far the farthest value lies, and its share of the variance. */
  function outlier(column) {
    const sorted = column.slice().sort();
    const quantile = (q) => {
      const at = q * (sorted.length - 1);
      const low = Math.floor(at);
      const high = Math.min(low + 1, sorted.length - 1);
      return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
    };
    const deviation = (quantile(0.75) - quantile(0.25)) / 1.349;
    if (!(deviation > 0)) return { far: 0, share: 0 };
    const median = quantile(0.5);
    const squares = ob.less(column, ob.mean(column)).map((value) => value * value);
    const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
    return {
      far: most(column.map((value) => Math.abs(value - median))) / deviation,
      share: most(squares) / ob.sum(squares),
    };
  }
  function outliers(x, y) {
    return [
      ["input", x],
      ["target", y],
    ].flatMap(([name, columns]) => {
      const found = columns.map(outlier);
      const place = found.reduce((best, one, i) => (one.far > found[best].far ? i : best), 0);
      const { far, share } = found[place];
      if (!(far > FAR && share > HEAVY)) return [];
      return [
        `one value of ${name} column ${place + 1} lies ${+far.toPrecision(3)} deviations from the median and makes ${Math.round(100 * share)}% of its variance: score normal scores instead (rank=True), or remove the value if it is an error`,
      ];
    });
  }

  function wide(inputs) {
    const rows = inputs[0].length;
    if (inputs.length <= rows) return [];
    return [
      `${inputs.length} inputs and ${rows} rows: what a few inputs tell is lost among the others; ` +
        "choose inputs, or let ln.scan(data, top=50) choose them by one half of the rows",
    ];
  }
  ob.cautions = (task, isTested) => {
    const { inputs, targets } = task;
    if (!isTested) return task.windows ? [] : wide(inputs);
    if (task.windows) return outliers(task.series.x, task.series.y);
    const found = neighbours(inputs, targets);
    return [...(found ? [found] : []), ...outliers(inputs, targets), ...wide(inputs)];
  };
});
