"use strict";
/* A plain CSV: a delimiter, perhaps a header, and columns of numbers or of categories. A column has
     name, kind, values   numbers (NaN: missing), places of levels (-1: missing), or texts
     levels               of a category
     missing              how many rows have no value */
(() => {
  const DELIMITERS = [",", ";", "\t"];
  const MISSING = new Set(["", "NA", "NaN", "nan", "null"]);
  const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
  const TRUTHS = new Map([
    ["true", 1],
    ["false", 0],
  ]);
  const MOST_LEVELS = 30;

  class Refusal extends Error {}
  const refuse = (sentence) => {
    throw new Refusal(sentence);
  };

  function decode(bytes, name) {
    if (!bytes.length) refuse(`expected data in ${name}, the file is empty`);
    try {
      if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      /* Refused below. */
    }
    return refuse(`expected UTF-8 text in ${name}, got other bytes; save it as a CSV in UTF-8`);
  }

  /* The delimiter that the first line has most of. */
  function delimiterOf(text) {
    const first = text.slice(0, text.indexOf("\n"));
    const counts = DELIMITERS.map((one) => first.split(one).length);
    return DELIMITERS[counts.indexOf(Math.max(...counts))];
  }

  /* Cells of all rows; between quotes anything may stand, and a doubled quote is a quote. */
  function cellsOf(text, delimiter) {
    const rows = [];
    let row = [];
    let cell = "";
    let isQuoted = false;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (isQuoted && c === '"' && text[i + 1] === '"') cell += text[i++];
      else if (isQuoted ? c === '"' : c === '"' && !cell.trim()) isQuoted = !isQuoted;
      else if (isQuoted || (c !== delimiter && c !== "\n")) cell += c;
      else {
        row.push(cell.trim());
        cell = "";
        if (c === delimiter) continue;
        // An empty line is a gap in a single column, and nothing between rows of several.
        if (row.length > 1 || row[0] || rows[0]?.length === 1) rows.push(row);
        row = [];
      }
    }
    return rows;
  }

  /* Names of columns: their place where there is none, and equal ones counted: a, a.1. */
  function unique(names) {
    const made = [];
    names.forEach((name, place) => {
      const base = name || `#${place}`;
      let one = base;
      for (let count = 1; made.includes(one); count++) one = `${base}.${count}`;
      made.push(one);
    });
    return made;
  }

  /* A column that counts the rows only labels them; a later one may do so by chance. */
  const counts = (values, place) =>
    values.length >= (place ? 10 : 3) &&
    (values[0] === 0 || values[0] === 1) &&
    values.every((value, i) => value === values[0] + i);

  function columnOf(name, place, cells) {
    const present = cells.filter((cell) => !MISSING.has(cell));
    const missing = cells.length - present.length;
    const numbers = (numberOf) =>
      Float64Array.from(cells, (cell) => (MISSING.has(cell) ? NaN : numberOf(cell)));
    const truthOf = (cell) => TRUTHS.get(cell.toLowerCase());
    const levels = [...new Set(present)].sort();
    if (present.every((cell) => NUMBER.test(cell))) {
      const values = numbers(Number);
      const kind = levels.length < 2 ? "constant" : counts(values, place) ? "counter" : "number";
      return { name, kind, values, missing };
    }
    if (levels.length > 1 && present.every((cell) => truthOf(cell) !== undefined))
      return { name, kind: "number", values: numbers(truthOf), missing };
    if (levels.length > Math.min(MOST_LEVELS, Math.max(1, Math.floor(present.length / 2))))
      return { name, kind: "text", values: cells, missing };
    const places = new Map(levels.map((level, place) => [level, place]));
    const values = cells.map((cell) => places.get(cell) ?? -1);
    return { name, kind: levels.length < 2 ? "constant" : "category", values, levels, missing };
  }

  /* Columns with the kinds of their values. */
  function read(bytes, name) {
    const text = `${decode(bytes, name).replace(/\r\n?/g, "\n").replace(/\n+$/, "")}\n`;
    const rows = cellsOf(text, delimiterOf(text));
    if (!rows.length) refuse(`expected data in ${name}, the file is empty`);
    const width = rows[0].length;
    const odd = rows.findIndex((row) => row.length !== width);
    if (odd > 0)
      refuse(
        `expected ${LN.count(width, "cell")} in row ${odd + 1} of ${name} as in the first, got ${rows[odd].length}; put text that holds the delimiter in quotes`,
      );
    const hasHeader = rows[0].some((cell) => !MISSING.has(cell) && !NUMBER.test(cell));
    const names = hasHeader ? unique(rows[0]) : rows[0].map((_, place) => String(place));
    const body = rows.slice(hasHeader ? 1 : 0);
    if (!body.length) refuse(`expected rows of data in ${name}, got only a header`);
    const columns = names.map((one, k) =>
      columnOf(
        one,
        k,
        body.map((row) => row[k]),
      ),
    );
    return { columns, rows: body.length };
  }

  LN.tables = { read, refuse, Refusal };
})();
