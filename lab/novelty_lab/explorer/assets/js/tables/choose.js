"use strict";
/* Inputs and targets of a table as numbers; rows with gaps are left out. */
(() => {
  const { refuse } = LN.tables;
  const MEASURED = ["number", "category"];
  const MOST_NAMED = 8;

  const isMissing = ({ values, levels }, i) =>
    levels ? values[i] < 0 : Number.isNaN(values[i]) || values[i] === "";

  /* Numbers of some rows; a category becomes a column of zeros and ones for each level. */
  function encode({ kind, name, values, levels }, rows) {
    if (kind === "text") {
      const place = rows.find((i) => Number.isNaN(Number(values[i]))) ?? rows[0];
      refuse(
        `expected numbers or at most 30 categories in column '${LN.visible(name)}', got '${LN.visible(values[place].slice(0, 40))}' in row ${place + 1}; leave that column out`,
      );
    }
    if (levels)
      return levels.map((_, level) =>
        Float64Array.from(rows, (i) => (values[i] === level ? 1 : 0)),
      );
    return [Float64Array.from(rows, (i) => values[i])];
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

  /* roles: "input", "target" or "" for each column. */
  function choose(table, roles, isSeries) {
    const used = table.columns.filter((_, k) => roles[k]);
    const all = Array.from({ length: table.rows }, (_, i) => i);
    const rows = all.filter((i) => !used.some((column) => isMissing(column, i)));
    const notes = notesOf(table, roles);
    if (rows.length < table.rows) {
      const worst = used.reduce((a, b) => (b.missing > a.missing ? b : a));
      const lost = `${table.rows - rows.length} of ${table.rows} rows have gaps`;
      const where = `(most in ${LN.visible(worst.name)}: ${worst.missing})`;
      if (isSeries || rows.length < 2)
        refuse(
          `expected ${isSeries ? "a series" : "rows"} without gaps, but ${lost} ${where}; choose other columns`,
        );
      notes.push(`${lost}: left out ${where}`);
    }
    const of = (role) =>
      table.columns.filter((_, k) => roles[k] === role).flatMap((one) => encode(one, rows));
    return { inputs: of("input"), targets: of("target"), rows: rows.length, notes };
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
