"use strict";
/* Which kind a column is: number, boolean, date, category, text, index or constant. The rules are
   those of learnable_novelty.data.kinds. A column has
     name, kind, values   numbers (NaN: missing), places of levels (-1: missing), or texts (null)
     levels               of a category
     reason               why it is an index
     missing              how many rows have no value */
(() => {
  const { MARKERS, isNumber } = LN.tables;
  const [MOST_LEVELS, FEWEST_COUNTED] = [30, 10];
  const INDEX_NAMES = ["rownames", "row.names", "rowname", "row_names", "index", "id"];
  const NAMED_ID = /([ _.-](id|ID|Id)|[a-z](Id|ID))$/;
  const UNNAMED = /^(?:unnamed(?:: ?\d+(?:\.\d+)?)?|#\d+(?:\.\d+)?|__index_level_\d+__)?$/i;
  const BOOLEANS = new Map([
    ["true", 1],
    ["false", 0],
    ["t", 1],
    ["f", 0],
  ]);
  const DATE = new RegExp(
    [
      "\\d{4}[-/]\\d{1,2}([-/]\\d{1,2})?([ T]\\d{1,2}:\\d{2}.*)?",
      "\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}( .*)?",
      "[A-Za-z]{3,9}\\.? \\d{1,2},? \\d{2,4}( .*)?",
      "\\d{1,2}[- ][A-Za-z]{3,9}[- ]\\d{2,4}",
      "[A-Za-z]{3,9} \\d{4}",
      "\\d{4}-?[Qq][1-4]",
    ]
      .map((one) => `^(?:${one})$`)
      .join("|"),
  );
  const MEASURED = ["number", "category", "boolean"];

  /* Numbers with groups of thousands, one currency sign or one percent sign; null for others. */
  function numbersInText(cells, decimal) {
    if (!cells.length) return null;
    const groups = decimal === "." ? "[,'\u00a0 ]" : "[.'\u00a0 ]";
    const point = decimal === "." ? "\\." : ",";
    const number = `(?:\\d{1,3}(?:${groups}\\d{3})+|\\d*)(?:${point}\\d*)?(?:[eE][+-]?\\d+)?`;
    const pattern = new RegExp(`^([+-]?)\\s*([$€£]?)\\s*([+-]?)(${number})\\s*(%?)$`);
    const found = cells.map((cell) => pattern.exec(cell));
    if (found.some((one) => one === null || !/\d/.test(one[4]))) return null;
    for (const part of [2, 5])
      if (new Set(found.map((one) => /** @type {string[]} */ (one)[part])).size > 1) return null;
    const values = found.map((one) => {
      const [, sign, , other, digits] = /** @type {string[]} */ (one);
      const plain = digits.replace(new RegExp(groups, "g"), "").replace(decimal, ".");
      return Number(`${sign || other}${plain}`);
    });
    return values.some(Number.isNaN) ? null : values;
  }

  const plainNumber = (cell, decimal) => {
    const text = decimal === "," ? cell.replace(",", ".") : cell;
    const infinite = /^([+-]?)inf/i.exec(text);
    return infinite ? (infinite[1] === "-" ? -Infinity : Infinity) : Number(text);
  };
  const count = (values, isGap) =>
    values.reduce((total, value) => total + (isGap(value) ? 1 : 0), 0);

  const isMissing = (column, i) => {
    const value = column.values[i];
    if (column.kind === "category") return value < 0;
    return value === null || Number.isNaN(value);
  };

  function levelsOf(name, cells, most) {
    const levels = [...new Set(cells.filter((cell) => cell !== null))].sort();
    const missing = count(cells, (cell) => cell === null);
    if (levels.length > Math.max(1, most)) return { name, kind: "text", values: cells, missing };
    const places = new Map(levels.map((level, place) => [level, place]));
    const values = cells.map((cell) => (cell === null ? -1 : places.get(cell)));
    return { name, kind: "category", values, levels, missing };
  }

  /* A column of texts with the kind of its values, and what was decided about it. */
  function columnOf(name, texts, decimal) {
    const cells = texts.map((cell) => (MARKERS.has(cell) ? null : cell));
    const present = cells.filter((cell) => cell !== null);
    const missing = cells.length - present.length;
    const number = (values, kind, note) => ({
      column: { name, kind, values: Float64Array.from(values), missing },
      note,
    });
    if (present.every((cell) => isNumber(cell, decimal)))
      return number(
        cells.map((cell) => (cell === null ? NaN : plainNumber(cell, decimal))),
        "number",
      );
    const values = present.map((cell) => BOOLEANS.get(cell.toLowerCase()));
    if (!values.includes(undefined) && new Set(values).size === 2)
      return number(
        cells.map((cell) => (cell === null ? NaN : BOOLEANS.get(cell.toLowerCase()))),
        "boolean",
      );
    const found = numbersInText(present, decimal);
    if (found) {
      const next = found.values();
      const odd = present.find((cell) => /[^\d.eE+-]/.test(cell));
      return number(
        cells.map((cell) => (cell === null ? NaN : next.next().value)),
        "number",
        odd && `${LN.visible(name)} has numbers written as ${LN.visible(odd)}`,
      );
    }
    if (present.every((cell) => DATE.test(cell)))
      return { column: { name, kind: "date", values: cells, missing } };
    const most = Math.min(MOST_LEVELS, Math.floor(present.length / 2));
    return { column: levelsOf(name, cells, most) };
  }

  /* Texts of a column, as a category or text has them. */
  const textsOf = (column) =>
    column.kind === "category"
      ? column.values.map((place) => (place < 0 ? null : column.levels[place]))
      : column.values;

  function asConstant(column) {
    const present = Array.from(column.values).filter((_, i) => !isMissing(column, i));
    if (new Set(present).size > 1) return column;
    return { ...column, kind: "constant", values: textsOf(column), levels: undefined };
  }

  const counts = (values, fewest) =>
    values.length >= fewest &&
    (values[0] === 0 || values[0] === 1) &&
    values.every((value, i) => value === values[0] + i);

  /* Why a column only labels rows, or null. */
  function indexReason(column, leading) {
    const label = column.name.trim().toLowerCase();
    if (["date", "constant", "boolean"].includes(column.kind)) return null;
    if (UNNAMED.test(label)) return "unnamed";
    const whole =
      !(column.values instanceof Float64Array) ||
      column.values.every((value) => Number.isNaN(value) || value === Math.round(value));
    if (INDEX_NAMES.includes(label) && (whole || label !== "index"))
      return `'${column.name}' is the name of an index`;
    const numbers = column.values instanceof Float64Array ? column.values : [];
    const differ = whole && numbers.length > 2 && new Set(numbers).size === numbers.length;
    if (differ && NAMED_ID.test(column.name.trim()))
      return `'${column.name}' is the name of an id, and no two are equal`;
    if (column.kind === "number" && counts(column.values, leading ? 3 : FEWEST_COUNTED))
      return "it counts the rows";
    return null;
  }

  /* All columns with their kinds. */
  function typed({ names, columns, decimal = ".", isBoolean = false, notes }) {
    const made = [];
    const said = [...notes];
    let leading = true;
    names.forEach((name, k) => {
      const cells = columns[k];
      const { column, note } =
        cells instanceof Float64Array
          ? {
              column: {
                name,
                kind: isBoolean ? "boolean" : "number",
                values: cells,
                missing: count(cells, Number.isNaN),
              },
              note: undefined,
            }
          : columnOf(name, cells, decimal);
      if (note) said.push(note);
      let found = asConstant(column);
      const reason = indexReason(found, leading);
      if (reason) found = { ...found, kind: "index", values: textsOf(found), reason };
      leading = leading && found.kind === "index";
      made.push(found);
    });
    return { columns: made, rows: columns[0].length, notes: said };
  }

  Object.assign(LN.tables, {
    typed,
    levelsOf,
    isMissing,
    numbersInText,
    MEASURED,
    MOST_LEVELS,
    /* Any file that this page reads, by its name. */
    read(bytes, name) {
      const isArray = /\.npy$/i.test(name);
      return typed(isArray ? LN.tables.readNumpy(bytes, name) : LN.tables.readText(bytes, name));
    },
  });
})();
