"use strict";
/* Names shared by all panels: making elements, reading packed arrays, loading data as scripts. */
window.LN = { data: {}, panels: [], parts: [] };

(function () {
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "style") Object.assign(node.style, value);
      else if (name === "value") node.value = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    // Text is always text: nothing from a record or a file is ever parsed as markup.
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  LN.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const el = LN.el;
  LN.svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /* The paper's S^φ, set as it prints it. */
  const symbols = (text) => text.split("S^φ").flatMap((part, i) => (i ? ["S", LN.el("sup", {}, "φ"), part] : [part]));

  /* A caption: what is seen, in plain words, and what the paper calls it. */
  LN.figure = (content, caption, paper) =>
    LN.el("figure", {}, content, LN.el("figcaption", {}, caption,
      paper ? LN.el("span", { class: "paper" }, symbols(paper)) : null));

  LN.stats = (entries) => LN.el("dl", { class: "stats" }, entries.map(([name, value, unit]) =>
    LN.el("div", {}, LN.el("dt", {}, name),
      LN.el("dd", {}, String(value), unit ? LN.el("small", {}, " " + unit) : null))));

  LN.select = (label, options, value, change) => {
    const box = LN.el("select", { onchange: () => change(box.value) }, options.map(([key, text]) =>
      LN.el("option", { value: key, selected: String(key) === String(value) }, text)));
    return LN.el("label", {}, label, box);
  };

  LN.table = (heads, rows, numeric, stack) => LN.el("div", { class: "scroll" }, LN.el("table", { class: stack ? "stack" : null },
    LN.el("thead", {}, LN.el("tr", {}, heads.map((head, i) =>
      LN.el("th", { scope: "col", class: numeric && numeric(i) ? "number" : null }, head)))),
    LN.el("tbody", {}, rows.map((row) => LN.el("tr", { class: row.mark, "data-key": row.key }, row.cells.map((cell, i) =>
      LN.el("td", { class: numeric && numeric(i) ? "number" : null, "data-label": heads[i] },
        stack ? LN.el("div", {}, ...[cell].flat()) : cell)))))));

  /* Load data files by script tags, which also work when the page is opened as a file. */
  LN.need = (name, done, failed) => {
    if (LN.data[name]) { done(LN.data[name]); return; }
    const script = LN.el("script", { src: "data/" + name + ".js" });
    script.onload = () => done(LN.data[name]);
    script.onerror = () => failed && failed();
    document.head.append(script);
  };
  LN.has = (name) => LN.data.index.names.includes(name);

  const half = (bits) => {
    const exponent = (bits >> 10) & 31, fraction = bits & 1023, sign = bits & 32768 ? -1 : 1;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  };
  /* A packed array as a typed array; half precision comes back in double. */
  LN.unpack = (packed) => {
    const bytes = Uint8Array.from(atob(packed.base64), (c) => c.charCodeAt(0));
    if (packed.dtype === "uint8") return bytes;
    if (packed.dtype === "int16") return new Int16Array(bytes.buffer);
    if (packed.dtype === "int32") return new Int32Array(bytes.buffer);
    if (packed.dtype === "float32") return new Float32Array(bytes.buffer);
    if (packed.dtype === "float16") return Float64Array.from(new Uint16Array(bytes.buffer), half);
    throw new Error("unknown type of array: " + packed.dtype);
  };

  /* Whoever asks for less motion starts with everything at rest. */
  LN.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  LN.css = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  /* A colour by its name in the palette, which follows the theme, or as #rrggbb. */
  LN.paint = (colour) => (colour.startsWith("#") ? colour : `var(--${colour})`);
  LN.rgb = (name) => {
    const hex = LN.css(name);
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  };
  const tip = () => document.getElementById("tip");
  /* A note beside the pointer, or beside what has the focus; with a picture above the text, if any. */
  LN.tip = (event, text, picture) => {
    const box = tip();
    box.replaceChildren(...(picture ? [picture] : []), text);
    box.hidden = false;
    const x = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8);
    const y = event.clientY + 18 + box.offsetHeight > innerHeight
      ? event.clientY - box.offsetHeight - 10 : event.clientY + 18;
    box.style.left = Math.max(4, x) + "px";
    box.style.top = y + "px";
  };
  LN.untip = () => { tip().hidden = true; };
  addEventListener("keydown", (event) => { if (event.key === "Escape") LN.untip(); });
  LN.number = (value, digits) => Number(value).toLocaleString("en", {
    minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
  LN.range = (values, digits) => {
    const low = LN.number(Math.min(...values), digits), high = LN.number(Math.max(...values), digits);
    return low === high ? low : `${low} to ${high}`;
  };
  LN.mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  LN.count = (n, one, many) => `${n} ${n === 1 ? one : many || one + "s"}`;
  /* A swatch of a legend: an area, or a line as it is drawn. */
  LN.swatch = (colour, line) => el("i", { style: line ? { height: 0, background: "none", verticalAlign: "middle",
    borderTop: `3px ${line === "dash" ? "dashed" : "solid"} ${LN.paint(colour)}` } : { background: LN.paint(colour) } });
  /* Redraw when the width changes; nothing is drawn while hidden. */
  LN.onwidth = (node, draw) => {
    let last = 0;
    new ResizeObserver(() => {
      const width = node.clientWidth;
      if (width && width !== last) { last = width; draw(width); }
    }).observe(node);
  };
})();
