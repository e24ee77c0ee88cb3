"use strict";
/* Names shared by all panels: making elements, reading packed arrays, loading data as scripts.
   types.d.ts lists them. */
// @ts-expect-error: what is missing is added below and by the other scripts.
window.LN = { data: {}, panels: [], parts: [], observerParts: [] };

(() => {
  /** @param {any} node @param {Attributes | undefined} attributes @param {Child[]} children */
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "style") Object.assign(node.style, value);
      else if (name === "value") node.value = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    // Text is always text: nothing from a record or a file is ever parsed as markup.
    for (const child of children.flat(4))
      if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  LN.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  LN.svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const { el } = LN;

  /** The paper's S^φ, set as the paper prints it.
   * @param {string} text */
  const symbols = (text) =>
    text.split("S^φ").flatMap((part, i) => (i ? ["S", el("sup", {}, "φ"), part] : [part]));

  /* A caption says what is seen in plain words, and what the paper calls it. */
  LN.figure = (content, caption, paper) => {
    const source = paper ? el("span", { class: "paper" }, symbols(paper)) : null;
    return el("figure", {}, content, el("figcaption", {}, caption, source));
  };

  LN.stats = (entries) => {
    /** @param {(Key | undefined)[]} entry */
    const entry = ([name, value, unit]) => {
      const shown = el("dd", {}, String(value), unit ? el("small", {}, ` ${unit}`) : null);
      return el("div", {}, el("dt", {}, String(name)), shown);
    };
    return el("dl", { class: "stats" }, entries.map(entry));
  };

  LN.select = (label, options, value, change) => {
    /** @param {Key[]} option */
    const option = ([key, text]) =>
      el("option", { value: key, selected: String(key) === String(value) }, String(text));
    const box = el("select", { onchange: () => change(box.value) }, options.map(option));
    return el("label", {}, label, box);
  };
  LN.selected = (label, value) => {
    /** @type {HTMLSelectElement} */ (label.querySelector("select")).value = String(value);
  };

  LN.table = (heads, rows, numeric, stack) => {
    const kind = (column) => (numeric?.(column) ? "number" : null);
    const head = (text, i) => el("th", { scope: "col", class: kind(i) }, text);
    const cell = (content, i) =>
      el(
        "td",
        { class: kind(i), "data-label": heads[i] },
        stack ? el("div", {}, content) : content,
      );
    /** @param {Row} row */
    const row = ({ mark, key, cells }) =>
      el("tr", { class: mark, "data-key": key }, cells.map(cell));
    const table = el(
      "table",
      { class: stack ? "stack" : null },
      el("thead", {}, el("tr", {}, heads.map(head))),
      el("tbody", {}, rows.map(row)),
    );
    return el("div", { class: "scroll" }, table);
  };

  /* Load data files by script tags, which also work when the page is opened as a file. */
  LN.need = (name, done, failed) => {
    if (LN.data[name]) {
      done(LN.data[name]);
      return;
    }
    const script = el("script", { src: `data/${name}.js` });
    script.onload = () => done(LN.data[name]);
    script.onerror = () => failed?.();
    document.head.append(script);
  };
  LN.has = (name) => LN.data.index.names.includes(name);

  const half = (bits) => {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const sign = bits & 32768 ? -1 : 1;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  };
  /* A packed array as a typed array; half precision becomes double. */
  LN.unpack = (packed) => {
    const bytes = Uint8Array.from(atob(packed.base64), (c) => c.charCodeAt(0));
    if (packed.dtype === "uint8") return bytes;
    if (packed.dtype === "int16") return new Int16Array(bytes.buffer);
    if (packed.dtype === "int32") return new Int32Array(bytes.buffer);
    if (packed.dtype === "float32") return new Float32Array(bytes.buffer);
    if (packed.dtype === "float64") return new Float64Array(bytes.buffer);
    if (packed.dtype === "float16") return Float64Array.from(new Uint16Array(bytes.buffer), half);
    throw new Error(`unknown type of array: ${packed.dtype}`);
  };

  LN.pen = (canvas) => {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser cannot draw on a canvas");
    return context;
  };
  /* 256 colours, as pixels of a canvas, between stops of six hexadecimal digits. */
  LN.colourMap = (stops, circular) => {
    const count = stops.length / 6;
    const channel = (stop, c) => {
      const at = 6 * (stop % count) + 2 * c;
      return parseInt(stops.slice(at, at + 2), 16);
    };
    return Uint32Array.from({ length: 256 }, (_, i) => {
      const place = circular ? (i / 256) * count : (i / 255) * (count - 1);
      const k = Math.floor(place);
      const t = place - k;
      const [r, g, b] = [0, 1, 2].map((c) =>
        Math.round((1 - t) * channel(k, c) + t * channel(k + 1, c)),
      );
      return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    });
  };

  /* Readers who ask for less motion start with everything at rest. */
  LN.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  LN.css = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  /* A colour by its name in the palette, which follows the theme, or as #rrggbb. */
  LN.paint = (colour) => (colour.startsWith("#") ? colour : `var(--${colour})`);
  LN.rgb = (name) => {
    const hex = LN.css(name);
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  };

  const note = el("div", { id: "tip", role: "status", hidden: true });
  document.body.append(note);
  /* A note beside the pointer, or beside what has the focus; with a picture above the text, if any. */
  LN.tip = (place, text, picture) => {
    note.replaceChildren(...(picture ? [picture] : []), text);
    note.hidden = false;
    const x = Math.min(place.clientX + 14, innerWidth - note.offsetWidth - 8);
    const below = place.clientY + 18;
    const fits = below + note.offsetHeight <= innerHeight;
    note.style.left = `${Math.max(4, x)}px`;
    note.style.top = `${fits ? below : place.clientY - note.offsetHeight - 10}px`;
  };
  LN.untip = () => {
    note.hidden = true;
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") LN.untip();
  });

  LN.number = (value, digits) =>
    Number(value)
      .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
      .replace("-", "−");
  LN.range = (values, digits) => {
    const low = LN.number(Math.min(...values), digits);
    const high = LN.number(Math.max(...values), digits);
    return low === high ? low : `${low} to ${high}`;
  };
  /* The number of rows behind a score, on one line. */
  LN.rows = (count) => `n\u00a0=\u00a0${LN.number(count, 0)}`;
  LN.mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  LN.count = (n, one, many) => `${n} ${n === 1 ? one : many || `${one}s`}`;
  /* Text of a user's file with its control characters shown, not obeyed. */
  LN.visible = (text) =>
    text.replace(/\p{C}/gu, (c) => `\\u{${/** @type {number} */ (c.codePointAt(0)).toString(16)}}`);
  /* A swatch of a legend: an area, or a line as it is drawn. */
  LN.swatch = (colour, line) => {
    if (!line) return el("i", { style: { background: LN.paint(colour) } });
    const borderTop = `3px ${line === "dash" ? "dashed" : "solid"} ${LN.paint(colour)}`;
    const style = { height: 0, background: "none", verticalAlign: "middle", borderTop };
    return el("i", { style });
  };
  /* Redraw when the width changes; nothing is drawn while hidden. */
  LN.onwidth = (node, draw) => {
    let last = 0;
    new ResizeObserver(() => {
      const width = node.clientWidth;
      if (width && width !== last) {
        last = width;
        draw(width);
      }
    }).observe(node);
  };
})();
