"use strict";
/* Inputs and targets of a table as numbers, as learnable_novelty.data.choose: gaps of inputs are
   filled and marked, and rows whose targets have gaps are left out. */
(() => {
  const { refuse } = LN.tables;
  const MEASURED = ["number", "category"];
  const MOST_NAMED = 8;

  const isMissing = ({ values, levels }, i) =>
    levels ? values[i] < 0 : Number.isNaN(values[i]) || values[i] === "";

  const median = (values) => {
    const sorted = Float64Array.from(values).sort();
    const half = sorted.length >> 1;
    if (!sorted.length) return 0;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };
  /* Numbers of some rows. A category becomes a column of zeros and ones for each level; gaps become
     the median beside a column that marks them, or a level of their own. */
  function encode(column, rows) {
    const { kind, name, values, levels } = column;
    if (kind === "text") {
      const place = rows.find((i) => Number.isNaN(Number(values[i]))) ?? rows[0];
      refuse(
        `expected numbers or at most 30 categories in column '${LN.visible(name)}', got '${LN.visible(values[place].slice(0, 40))}' in row ${place + 1}; leave that column out`,
      );
    }
    const gaps = Float64Array.from(rows, (i) => (isMissing(column, i) ? 1 : 0));
    const isMarked = gaps.includes(1);
    if (levels) {
      const shown = isMarked ? [...levels.keys(), -1] : [...levels.keys()];
      return shown.map((level) => Float64Array.from(rows, (i) => (values[i] === level ? 1 : 0)));
    }
    if (!isMarked) return [Float64Array.from(rows, (i) => values[i])];
    const fill = median(rows.filter((i) => !isMissing(column, i)).map((i) => values[i]));
    return [Float64Array.from(rows, (i) => (isMissing(column, i) ? fill : values[i])), gaps];
  }

  const WHY = { constant: "one value", counter: "it counts the rows", text: "text" };
  /* Which columns are left out and why, and which are categories. */
  function notesOf(table, roles) {
    const left = table.columns.filter((one, k) => !roles[k] && !MEASURED.includes(one.kind));
    const told = left.map((one) => `${LN.visible(one.name)} (${WHY[one.kind]})`);
    const more = told.length > MOST_NAMED ? ` and ${told.length - MOST_NAMED} more` : "";
    return [
      ...(told.length ? [`left out: ${told.slice(0, MOST_NAMED).join(", ")}${more}`] : []),
      ...table.columns
        .filter((one, k) => roles[k] && one.levels)
        .map((one) => `${LN.visible(one.name)} is a category of ${one.levels.length}`),
    ];
  }

  const worst = (columns) => {
    const one = columns.reduce((a, b) => (b.missing > a.missing ? b : a));
    return `most in ${LN.visible(one.name)}: ${one.missing}`;
  };

  /* roles: "input", "target" or "" for each column. */
  function choose(table, roles, isSeries) {
    const of = (role) => table.columns.filter((_, k) => roles[k] === role);
    const [inputs, targets] = [of("input"), of("target")];
    const hasGap = (columns) => (i) => columns.some((column) => isMissing(column, i));
    const all = Array.from({ length: table.rows }, (_, i) => i);
    const rows = all.filter((i) => !hasGap(targets)(i));
    const notes = notesOf(table, roles);
    const filled = inputs.filter((column) => rows.some((i) => isMissing(column, i)));
    const gaps = rows.filter(hasGap(filled)).length;
    if (isSeries && gaps)
      refuse(
        `expected a series without gaps, but ${gaps} of ${table.rows} rows have gaps (${worst(inputs)}); choose other columns`,
      );
    if (filled.length) {
      const named = filled.slice(0, 6).map((one) => LN.visible(one.name));
      const more = filled.length > 6 ? ` and ${filled.length - 6} more` : "";
      notes.push(
        `${gaps} of ${rows.length} rows have gaps of inputs: filled and marked (${named.join(", ")}${more})`,
      );
    }
    if (rows.length < table.rows) {
      const lost = `${table.rows - rows.length} of ${table.rows} rows have gaps`;
      if (rows.length < 2)
        refuse(`expected rows without gaps, but ${lost} (${worst(targets)}); choose other columns`);
      notes.push(`${lost}: left out (${worst(targets)})`);
    }
    const encoded = (columns) => columns.flatMap((one) => encode(one, rows));
    return { inputs: encoded(inputs), targets: encoded(targets), rows: rows.length, notes };
  }

  /* The last column that can be measured is the target, and all others that can be are inputs. */
  function usualRoles({ columns }) {
    const places = [...columns.keys()].filter((k) => MEASURED.includes(columns[k].kind));
    const target = places.length > 1 ? places.at(-1) : -1;
    return columns.map((_, k) => {
      if (k === target) return "target";
      return places.includes(k) ? "input" : "";
    });
  }

  Object.assign(LN.tables, { choose, usualRoles, isMissing, WHY });
})();
