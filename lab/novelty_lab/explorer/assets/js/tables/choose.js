"use strict";
/* Inputs and targets of a table as numbers without gaps, as learnable_novelty.data.choose. */
(() => {
  const { refuse, isMissing, levelsOf, numbersInText, MEASURED, MOST_LEVELS } = LN.tables;
  const MOST_NAMED = 8;

  /* A column that the user names, as a number or a category, whatever was decided. */
  function measurable(column) {
    if (MEASURED.includes(column.kind)) return column;
    if (column.values instanceof Float64Array) return { ...column, kind: "number" };
    if (column.kind === "date")
      return refuse(
        `expected numbers in column '${column.name}', got dates: use columns that hold numbers`,
      );
    const levels = new Set(column.values.filter((value) => value !== null));
    if (levels.size && levels.size <= Math.min(MOST_LEVELS, Math.floor(column.values.length / 2)))
      return levelsOf(column.name, column.values, MOST_LEVELS);
    const row = column.values.findIndex((text) => text !== null && !numbersInText([text], "."));
    return refuse(
      `expected numbers in column '${column.name}', got '${String(column.values[Math.max(0, row)]).slice(0, 40)}' in row ${Math.max(0, row)} (from 0); leave that column out`,
    );
  }

  const gapsOf = (columns, count) =>
    Uint8Array.from({ length: count }, (_, i) =>
      columns.some((one) => isMissing(one, i)) ? 1 : 0,
    );
  const total = (gaps) => gaps.reduce((a, b) => a + b, 0);
  const worst = (columns) => {
    const one = columns.reduce((a, b) => (b.missing > a.missing ? b : a));
    return `${LN.visible(one.name)}: ${one.missing}`;
  };

  /* Inputs that would cost most rows: the most gaps first, until half of the rows stay. */
  function tooSparse(inputs, targets) {
    if (!inputs.length) return [];
    const count = inputs[0].values.length;
    const lost = gapsOf(targets, count);
    const kept = [...inputs].sort((a, b) => a.missing - b.missing);
    const left = [];
    const complete = () => {
      const gaps = gapsOf(kept, count);
      return gaps.filter((gap, i) => !gap && !lost[i]).length;
    };
    while (kept.length > 1 && 2 * complete() < count - total(lost)) left.push(kept.pop());
    return left;
  }

  /* Gaps filled with the mean, or a level of their own, and marked. */
  function indicated(column) {
    if (!column.missing) return [column];
    const { values, name } = column;
    if (column.kind === "category")
      return [
        {
          ...column,
          values: values.map((place) => (place < 0 ? column.levels.length : place)),
          levels: [...column.levels, "missing"],
          missing: 0,
        },
      ];
    const known = values.filter((value) => !Number.isNaN(value));
    const mean = known.reduce((a, b) => a + b, 0) / known.length;
    const filled = values.map((value) => (Number.isNaN(value) ? mean : value));
    const marks = values.map((value) => (Number.isNaN(value) ? 1 : 0));
    return [
      { ...column, values: filled, missing: 0 },
      { name: `${name} is missing`, kind: "boolean", values: marks, missing: 0 },
    ];
  }
  /* Gaps filled along lines; those at an end take the nearest value. */
  function interpolated(column) {
    if (!column.missing) return column;
    if (column.kind === "category")
      return refuse(`gaps of a category cannot be interpolated: column '${column.name}'`);
    const values = column.values.slice();
    const known = [...values.keys()].filter((i) => !Number.isNaN(values[i]));
    let after = 0;
    for (let i = 0; i < values.length; i++) {
      while (after < known.length && known[after] < i) after++;
      const [a, b] = [known[Math.max(0, after - 1)], known[Math.min(after, known.length - 1)]];
      const share = b === a ? 0 : Math.max(0, Math.min(1, (i - a) / (b - a)));
      values[i] = column.values[a] + share * (column.values[b] - column.values[a]);
    }
    return { ...column, values, missing: 0 };
  }

  /* Columns without gaps, the rows to use, and what was done. */
  function withoutGaps(inputs, targets, how, isSeries) {
    const count = inputs[0].values.length;
    const every = Array.from({ length: count }, (_, i) => i);
    const both = [...inputs, ...targets];
    const lost = total(gapsOf(both, count));
    if (!lost) return { inputs, targets, rows: every, notes: [] };
    const said = `${lost} of ${count} rows have gaps (most in ${worst(both)})`;
    if (how === "interpolate")
      return {
        inputs: inputs.map(interpolated),
        targets: targets.map(interpolated),
        rows: every,
        notes: [`${said}: filled along lines between neighbours`],
      };
    if (isSeries && how !== "indicate")
      refuse(
        `expected a series without gaps, but ${said}: choose to interpolate them, or choose other columns`,
      );
    const marked = how === "indicate" ? inputs.filter((one) => one.missing) : [];
    const used = how === "indicate" ? inputs.flatMap(indicated) : inputs;
    const notes = [];
    if (marked.length) {
      const names = marked.slice(0, 6).map((one) => LN.visible(one.name));
      const more = marked.length > 6 ? ", ..." : "";
      notes.push(`gaps filled and marked by a column of their own: ${names.join(", ")}${more}`);
    }
    const gaps = gapsOf(how === "indicate" ? targets : both, count);
    const rows = every.filter((i) => !gaps[i]);
    if (rows.length < count)
      notes.push(
        `${count - rows.length} of ${count} rows have gaps: left out (most in ${worst(how === "indicate" ? targets : both)})`,
      );
    if (rows.length < 2) {
      const some = rows.length ? `only 1 of ${count} has none` : `all ${count} have some`;
      refuse(
        `expected rows without gaps, but ${some}: choose columns without ${worst(both)}, or mark the gaps`,
      );
    }
    return { inputs: used, targets, rows, notes };
  }

  /* Numbers of the rows; a category becomes a column of zeros and ones for each level. */
  function encode(column, rows) {
    if (column.kind === "category")
      return column.levels.map((_, level) =>
        Float64Array.from(rows, (i) => (column.values[i] === level ? 1 : 0)),
      );
    const values = Float64Array.from(rows, (i) => column.values[i]);
    const infinite = values.findIndex((value) => !Number.isFinite(value));
    if (infinite >= 0)
      refuse(
        `expected finite numbers in column '${column.name}', got an infinite value in row ${rows[infinite]} (from 0): choose columns without it, or leave out such rows`,
      );
    return [values];
  }

  const why = (column) => {
    if (column.kind === "index") return `index: ${column.reason}`;
    if (column.kind === "constant")
      return column.missing === column.values.length ? "no values" : "one value";
    if (column.kind === "date") return "dates";
    return `text of ${new Set(column.values.filter((value) => value !== null)).size} values`;
  };
  /* Which columns are left out and why, and which are categories. */
  function kindNotes(columns) {
    const left = columns.filter((one) => !MEASURED.includes(one.kind));
    const told = left.map((one) => `${LN.visible(one.name)} (${why(one)})`);
    const more = told.length > MOST_NAMED ? ` and ${told.length - MOST_NAMED} more` : "";
    const notes = told.length ? [`left out: ${told.slice(0, MOST_NAMED).join(", ")}${more}`] : [];
    for (const one of columns)
      if (one.kind === "category")
        notes.push(`${LN.visible(one.name)} is a category of ${one.levels.length}`);
    return notes;
  }

  /* roles: "input", "target" or "" for each column; missing: what is done about gaps. */
  function choose(table, roles, { isSeries, missing }) {
    const by = (role) => table.columns.filter((_, k) => roles[k] === role).map(measurable);
    const [inputs, targets] = [by("input"), by("target")];
    const left = table.columns.filter((_, k) => !roles[k]);
    const used = withoutGaps(inputs, targets, missing, isSeries);
    return {
      inputs: used.inputs.flatMap((one) => encode(one, used.rows)),
      targets: used.targets.flatMap((one) => encode(one, used.rows)),
      rows: used.rows.length,
      notes: [
        ...table.notes,
        ...kindNotes([
          ...left.filter((one) => !MEASURED.includes(one.kind)),
          ...inputs,
          ...targets,
        ]),
        ...used.notes,
      ],
    };
  }

  /* What the command line would take: the last measured column as the target, and all others that
     can be measured as inputs, without those whose gaps would cost most rows. */
  function usualRoles(table) {
    const places = [...table.columns.keys()].filter((k) =>
      MEASURED.includes(table.columns[k].kind),
    );
    const target = places.length > 1 ? places[places.length - 1] : -1;
    const others = places.filter((k) => k !== target);
    const sparse =
      target < 0
        ? []
        : tooSparse(
            others.map((k) => table.columns[k]),
            [table.columns[target]],
          );
    return table.columns.map((column, k) => {
      if (k === target) return "target";
      return others.includes(k) && !sparse.includes(column) ? "input" : "";
    });
  }

  Object.assign(LN.tables, { choose, usualRoles, why });
})();
