"use strict";
/* A table in text: encoding, separator, decimal comma, comments, preamble and header are found out
   from the beginning of the file, by the rules of learnable_novelty.data.sniff. */
(() => {
  const [SAMPLE_CHARACTERS, SAMPLE_ROWS] = [1 << 18, 500];
  const MARKERS = new Set(
    ["", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None"].concat([
      "?",
      ".",
    ]),
  );
  const SEPARATORS = ["\t", ";", "|", ",", " "];
  const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:inf|infinity))$/i;
  const DECIMAL_COMMA = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+(?:e[+-]?\d+)?$/i;
  const THOUSANDS_COMMA = /^[+-]?\d{1,3}(?:,\d{3})+$/;
  const MOST_BETWEEN = 25;

  class Refusal extends Error {}
  const refuse = (sentence) => {
    throw new Refusal(sentence);
  };

  function decode(bytes, name) {
    const [a, b, c] = bytes;
    if (!bytes.length) refuse(`expected data in ${name}, the file is empty`);
    if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
      return {
        text: new TextDecoder(a === 0xff ? "utf-16le" : "utf-16be").decode(bytes),
        notes: [],
      };
    const marked = a === 0xef && b === 0xbb && c === 0xbf;
    if (!marked && bytes.subarray(0, SAMPLE_CHARACTERS).includes(0))
      refuse(`expected UTF-8 text in ${name}, got other bytes`);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
    } catch {
      const text = new TextDecoder("windows-1252").decode(bytes);
      return { text, notes: ["read as Windows-1252 text"] };
    }
  }

  const isNumber = (cell, decimal = ".") => {
    const commas = decimal === "," ? cell.split(",").length - 1 : 0;
    return NUMBER.test(commas === 1 ? cell.replace(",", ".") : cell);
  };

  /* Rows of cells with the number of their last line; text in quotes may hold anything. */
  function cellsOf(lines, separator, most = Infinity) {
    const rows = [];
    const space = separator === " ";
    for (let at = 0; at < lines.length && rows.length < most; at++) {
      const cells = [];
      let line = space ? lines[at].text.trim().split(/\s+/).join(" ") : lines[at].text;
      let place = 0;
      for (;;) {
        while (line[place] === " " && !space) place++;
        let cell = "";
        if (line[place] === '"') {
          place++;
          for (;;) {
            const end = line.indexOf('"', place);
            if (end < 0) {
              // A quoted cell goes on in the next line.
              cell += line.slice(place);
              if (at + 1 >= lines.length) {
                place = line.length;
                break;
              }
              cell += "\n";
              line = lines[++at].text;
              place = 0;
            } else if (line[end + 1] === '"') {
              cell += line.slice(place, end + 1);
              place = end + 2;
            } else {
              cell += line.slice(place, end);
              place = end + 1;
              break;
            }
          }
        }
        const end = line.indexOf(separator, place);
        cell += line.slice(place, end < 0 ? undefined : end);
        cells.push(cell.trim());
        if (end < 0) break;
        place = end + 1;
      }
      rows.push({ line: lines[at].number, cells });
    }
    return rows;
  }

  /* How many cells most rows have; of two as frequent, the first that came. */
  function widthOf(rows) {
    const counts = new Map();
    for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
    let best = 0;
    for (const [width, count] of counts) if (count > (counts.get(best) ?? 0)) best = width;
    return best;
  }
  const firstOf = (rows, width) => rows.findIndex(({ cells }) => cells.length === width);

  /* The separator that divides most lines into equally many cells, most of them numbers. */
  function separated(lines) {
    /** @type {{ share: number, separator: string, rows: { line: number, cells: string[] }[] }} */
    let best = { share: 0, separator: ",", rows: [] };
    for (const separator of SEPARATORS) {
      const rows = cellsOf(lines, separator, SAMPLE_ROWS);
      const width = widthOf(rows);
      if (width < 2) continue;
      const body = rows.slice(firstOf(rows, width));
      let share = body.filter(({ cells }) => cells.length === width).length / body.length;
      if (separator === " ") share *= (0.98 * body.length) / rows.length;
      const cells = body.flatMap((row) => row.cells);
      const decimal = separator === "," ? "." : ",";
      const known = cells.filter((cell) => MARKERS.has(cell) || isNumber(cell, decimal)).length;
      share *= 1 + known / Math.max(1, cells.length);
      if (share > best.share + 1e-9) best = { share, separator, rows };
    }
    if (best.share >= 0.5) return best;
    return { separator: ",", rows: cellsOf(lines, ",", SAMPLE_ROWS) };
  }

  function decimalOf(body, separator) {
    if (separator === ",") return ".";
    const cells = body.flat();
    const commas = cells.filter((cell) => DECIMAL_COMMA.test(cell));
    const points = cells.filter((cell) => cell.includes(".") && NUMBER.test(cell)).length;
    if (commas.every((cell) => THOUSANDS_COMMA.test(cell)) && separator !== ";") return ".";
    return commas.length > points ? "," : ".";
  }

  const isYear = (value) => Number.isInteger(value) && value >= 1000 && value < 3000;
  function areYears(values) {
    const steps = values.slice(1).map((value, i) => value - values[i]);
    const rises = steps.every((step) => step > 0) || steps.every((step) => step < 0);
    const near = steps.every((step) => Math.abs(step) >= 1 && Math.abs(step) <= MOST_BETWEEN);
    return values.length > 1 && rises && near && values.every(isYear);
  }
  /* Whether the first row names the columns. */
  function hasHeader(first, body, decimal) {
    const places = first.map((_, k) => k);
    const numbers = places.filter((k) => isNumber(first[k], decimal));
    const texts = places.filter((k) => !isNumber(first[k], decimal) && !MARKERS.has(first[k]));
    const columns = places.map((k) =>
      body.map((row) => row[k]).filter((cell) => !MARKERS.has(cell)),
    );
    const areNumbers = (cells) => cells.length && cells.every((cell) => isNumber(cell, decimal));
    if (texts.some((k) => areNumbers(columns[k]))) return true;
    if (!numbers.length) {
      const named = texts.map((k) => first[k]);
      const again = texts.some((k) => columns[k].includes(first[k]));
      return named.length > 0 && new Set(named).size === named.length && !again;
    }
    const value = (cell) => Number(cell.replace(decimal, "."));
    const values = numbers.map((k) => value(first[k]));
    const differ = new Set(values).size === values.length;
    if (first[0] === "" && differ && columns[0].length === body.length && body.length) return true;
    const below = numbers.flatMap((k) => columns[k]);
    return (
      areYears(values) && !below.every((cell) => isNumber(cell, decimal) && isYear(value(cell)))
    );
  }
  const areNames = (cells, decimal) =>
    cells.some(Boolean) && !cells.some((cell) => isNumber(cell, decimal));

  /* Names of columns: their place where there is none, #0, and equal ones counted: a, a.1. */
  function unique(names) {
    const made = [];
    const seen = new Map();
    names.forEach((name, place) => {
      const base = name.trim() || `#${place}`;
      let count = seen.get(base) ?? 0;
      let one = base;
      while (made.includes(one)) one = `${base}.${++count}`;
      seen.set(base, count);
      made.push(one);
    });
    return made;
  }

  /* The names of the columns, if there are any, and which row is the first of data. */
  function headerOf(rows, first, width, decimal) {
    const body = rows.slice(first).filter(({ cells }) => cells.length === width);
    const cells = body.map((row) => row.cells);
    if (hasHeader(cells[0], cells.slice(1), decimal)) return { names: cells[0], start: first + 1 };
    const above = first ? rows[first - 1].cells : [];
    if (above.length === width - 1 && width > 1 && areNames(above, decimal)) {
      const ended = cells.every((row) => row[width - 1] === "");
      return { names: ended ? [...above, ""] : ["", ...above], start: first };
    }
    return { names: null, start: first };
  }

  function commentOf(lines) {
    const filled = lines.filter((line) => line.trim());
    return ["#", "%"].find((mark) => {
      const count = filled.filter((line) => line.startsWith(mark)).length;
      return count > 0 && count <= filled.length / 2;
    });
  }
  function commentedHeader(lines, comment, separator, width, dataLine) {
    const above = lines.slice(0, dataLine - 1).filter((line) => line.startsWith(comment));
    const last = above[above.length - 1]?.slice(comment.length).trim();
    if (last === undefined) return null;
    const cells =
      separator === " " ? last.split(/\s+/) : last.split(separator).map((cell) => cell.trim());
    return cells.length === width && width > 1 && areNames(cells, ".") ? cells : null;
  }

  /* How the text is written. */
  function sniff(lines, name) {
    const comment = commentOf(lines);
    const isComment = (line) => !line.trim() || (comment && line.startsWith(comment));
    const kept = lines
      .map((text, i) => ({ text, number: i + 1 }))
      .filter(({ text }) => !isComment(text));
    const { separator, rows } = separated(kept);
    if (!rows.length) refuse(`expected rows of data in ${name}, got none`);
    const width = widthOf(rows);
    const first = firstOf(rows, width);
    const decimal = decimalOf(
      rows.slice(first).map((row) => row.cells),
      separator,
    );
    const header = headerOf(rows, first, width, decimal);
    const names =
      header.names ??
      (comment ? commentedHeader(lines, comment, separator, width, rows[0].line) : null);
    const before = rows.slice(0, first).filter(({ cells }) => cells.length !== width - 1).length;
    const notes = [];
    if (header.start && before) notes.push(`${LN.count(before, "line")} before the table left out`);
    if (decimal === ",") notes.push("a comma is the decimal sign");
    return {
      separator,
      decimal,
      comment,
      skipped: header.start ? rows[header.start - 1].line : 0,
      names: names ? unique(names) : Array.from({ length: width }, (_, i) => String(i)),
      notes,
    };
  }

  /* Names and cells of all columns, and what was decided. */
  function readText(bytes, name) {
    const decoded = decode(bytes, name);
    const text = decoded.text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    if (!text.trim()) refuse(`expected data in ${name}, the file is empty`);
    const lines = text.split("\n");
    const sample = text.slice(0, SAMPLE_CHARACTERS);
    const cut = text.length > SAMPLE_CHARACTERS ? sample.lastIndexOf("\n") : sample.length;
    const dialect = sniff(sample.slice(0, cut < 0 ? undefined : cut).split("\n"), name);
    const { names, separator, comment, skipped } = dialect;
    let body = lines.map((line, i) => ({ text: line, number: i + 1 })).slice(skipped);
    if (names.length > 1) body = body.filter((line) => line.text.trim());
    else while (body.length && !body[body.length - 1].text.trim()) body.pop();
    if (comment) body = body.filter((line) => !line.text.startsWith(comment));
    const rows = cellsOf(body, separator);
    if (!rows.length) refuse(`expected rows of data in ${name}, got only a header`);
    const wide = rows.find(({ cells }) => cells.length > names.length);
    if (wide)
      refuse(
        `expected ${names.length} columns in line ${wide.line} of ${name}, got ${wide.cells.length}: put text that holds the separator in quotes`,
      );
    const short = rows.filter(({ cells }) => cells.length < names.length);
    const notes = [...decoded.notes, ...dialect.notes];
    if (short.length) {
      const ends = short.length === 1 ? "1 row ends" : `${short.length} rows end`;
      const lack = short.length === 1 ? "it lacks" : "they lack";
      notes.push(`${ends} before the last column (line ${short[0].line}): what ${lack} is missing`);
    }
    const columns = names.map((_, k) => rows.map(({ cells }) => cells[k] ?? ""));
    return { names, columns, decimal: dialect.decimal, notes };
  }

  LN.tables = { readText, isNumber, unique, refuse, Refusal, MARKERS };
})();
