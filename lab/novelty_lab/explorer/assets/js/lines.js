"use strict";
/* Line charts in SVG, as wide as their box; points are named on hover and by arrow keys. */
(() => {
  const { svg, el } = LN;
  const { short, scale, segment, frame } = LN.charts;
  const NEAR = 30; // pixels within which a point is named

  const path = (points, { x, y }) =>
    points
      .map(([a, b], i) => `${i ? "L" : "M"}${x.place(a).toFixed(1)} ${y.place(b).toFixed(1)}`)
      .join("");

  /** @param {Series} s @param {Layout} at */
  function curve(s, at) {
    const colour = LN.paint(s.colour);
    const look = { strokeWidth: s.width || 2, opacity: s.faint ? 0.45 : 1 };
    const style = { stroke: colour, fill: "none", ...look };
    const drawn = [];
    if (!s.dots || s.dots === "joined")
      drawn.push(
        svg("path", { d: path(s.points, at), "stroke-dasharray": s.dash ? "6 4" : null, style }),
      );
    for (const [a, b] of s.dots ? s.points : []) {
      const place = { cx: at.x.place(a), cy: at.y.place(b) };
      drawn.push(svg("circle", { ...place, r: 3.5, style: { fill: colour } }));
    }
    return drawn;
  }

  /* The interval around a line. */
  function band(s, at) {
    const there = s.band.map(([a, , high]) => [a, high]);
    const back = s.band.map(([a, low]) => [a, low]).reverse();
    const style = { fill: LN.paint(s.colour), opacity: 0.2, stroke: "none" };
    return svg("path", { class: "band", d: `${path([...there, ...back], at)}Z`, style });
  }

  const referenceAt = (box, i) => box.right + 14 + 14 * i;
  /* A diamond with whiskers right of the curves, and a thin level through them. */
  function reference({ mean, sd, colour }, i, { box, y }) {
    const [at, middle, stroke] = [referenceAt(box, i), y.place(mean), LN.paint(colour)];
    const diamond = `M${at} ${middle - 6}l5 6l-5 6l-5 -6Z`;
    const style = { fill: stroke, stroke: "var(--card)" };
    return [
      segment(box.left, middle, at, middle, { stroke }, { "stroke-dasharray": "2 5" }),
      segment(at, y.place(mean - sd), at, y.place(mean + sd), { stroke, strokeWidth: 1.6 }),
      svg("path", { class: "reference", d: diamond, style }),
    ];
  }

  /** Where everything lies at a width; null if there is nothing to draw.
   * @param {LineChart} spec @param {number} width @returns {Layout | null} */
  function layOut(spec, width) {
    const height = spec.height || 260;
    const references = spec.references || [];
    const edge = references.length ? 14 + 14 * references.length : 10;
    const box = { left: 46, right: width - edge, top: 22, bottom: height - 40 };
    const points = spec.series.flatMap((s) => s.points);
    if (!points.length) return null;
    const bands = spec.series.flatMap((s) => s.band || []);
    const xs = [...points, ...bands].map((p) => p[0]);
    const ys = [
      ...points.map((p) => p[1]),
      ...bands.flatMap(([, low, high]) => [low, high]),
      ...references.flatMap((r) => [r.mean - r.sd, r.mean + r.sd]),
    ];
    const x = scale({ ...spec.x, count: width < 420 ? 4 : 6 }, xs, box.left, box.right);
    return { width, height, box, x, y: scale(spec.y, ys, box.bottom, box.top) };
  }

  /** @param {LineChart} spec @param {Layout} at */
  function draw(spec, at) {
    const { box, x, y } = at;
    const root = frame(at, { label: spec.label, across: spec.x.label, up: spec.y.label });
    if (spec.level !== undefined) {
      const level = y.place(spec.level);
      root.append(segment(box.left, level, box.right, level, { stroke: "var(--soft)" }));
    }
    root.append(...(spec.references || []).flatMap((r, i) => reference(r, i, at)));
    root.append(...spec.series.filter((s) => s.band).map((s) => band(s, at)));
    root.append(...spec.series.flatMap((s) => curve(s, at)));
    if (spec.mark !== undefined) {
      const mark = x.place(spec.mark);
      const dash = { "stroke-dasharray": "3 3" };
      root.append(segment(mark, box.top, mark, box.bottom, { stroke: "var(--ink)" }, dash));
    }
    return root;
  }

  /** @param {LineChart} spec @param {Series} s @param {number} k */
  function describe(spec, s, k) {
    const [a, b] = s.points[k];
    const [, low, high] = s.band?.[k] || [];
    const around = s.band?.[k] ? ` (${s.around || "95%"}: ${short(low)} to ${short(high)})` : "";
    return `${s.name}\n${spec.x.label}: ${short(a)}\n${spec.y.label}: ${short(b)}${around}`;
  }

  /** The point nearest to a place of the drawing, if one is near.
   * @returns {[Series, number] | null} */
  function nearest(spec, { x, y }, px, py) {
    /** @type {[Series, number] | null} */
    let best = null;
    let least = NEAR ** 2;
    for (const s of spec.series)
      for (const [k, [a, b]] of s.points.entries()) {
        const d = (x.place(a) - px) ** 2 + (y.place(b) - py) ** 2;
        if (d < least) {
          least = d;
          best = [s, k];
        }
      }
    return best;
  }

  /** Name points under the pointer; return what names a given one.
   * @param {LineChart} spec @param {Layout} at @param {SVGSVGElement} root */
  function name(spec, at, root) {
    const { width, height, box, x, y } = at;
    const look = { fill: "none", stroke: "var(--ink)", strokeWidth: 2 };
    const spot = svg("circle", { r: 6, visibility: "hidden", style: look });
    root.append(spot);
    const hide = () => {
      spot.setAttribute("visibility", "hidden");
      LN.untip();
    };
    const show = (s, k, event) => {
      const [cx, cy] = [x.place(s.points[k][0]), y.place(s.points[k][1])];
      spot.setAttribute("cx", String(cx));
      spot.setAttribute("cy", String(cy));
      spot.setAttribute("visibility", "visible");
      const place = root.getBoundingClientRect();
      const clientX = place.left + (cx * place.width) / width;
      const clientY = place.top + (cy * place.height) / height;
      LN.tip(event || { clientX, clientY }, describe(spec, s, k));
    };
    root.addEventListener("pointermove", (event) => {
      const place = root.getBoundingClientRect();
      const px = ((event.clientX - place.left) * width) / place.width;
      const py = ((event.clientY - place.top) * height) / place.height;
      const published = spec.references?.find((_, i) => Math.abs(px - referenceAt(box, i)) < 7);
      const found = nearest(spec, at, px, py);
      if (published) {
        const value = `${short(published.mean)} ± ${short(published.sd)}`;
        LN.tip(event, `${published.name}\n${spec.y.label}: ${value}`);
      } else if (found) show(...found, event);
      else hide();
    });
    root.addEventListener("pointerleave", hide);
    return { show, hide };
  }

  /** @param {LineChart} spec */
  function legendOf(spec) {
    const named = new Map(spec.series.filter((s) => !s.unnamed).map((s) => [s.name, s]));
    const entries = named.size < 2 && !spec.references ? [] : [...named.values()];
    const lineOf = (s) => (s.dots === true ? undefined : s.dash ? "dash" : "line");
    const entry = (s) => el("li", {}, LN.swatch(s.colour, lineOf(s)), s.name);
    return [...entries.map(entry), ...(spec.extra || [])];
  }

  LN.charts.lines = (spec) => {
    const legend = el("ul", { class: "legend" });
    const label = `${spec.label}; arrow keys read the points`;
    const drawing = el("div", { class: "chart", tabindex: 0, role: "group", "aria-label": label });
    let read = { series: 0, point: -1 };
    /** @type {ReturnType<typeof name> | null} */
    let names = null;
    const redraw = (width) => {
      const at = layOut(spec, width);
      const root = at && draw(spec, at);
      names = root && name(spec, at, root);
      const nothing = () =>
        el("p", { style: { minHeight: `${spec.height || 260}px` } }, spec.empty || "Not run yet.");
      drawing.replaceChildren(root || nothing());
    };
    drawing.addEventListener("blur", () => names?.hide());
    drawing.addEventListener("keydown", (event) => {
      const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0;
      const across = { ArrowUp: -1, ArrowDown: 1 }[event.key] || 0;
      if (!names || !(along || across)) return;
      event.preventDefault();
      const count = spec.series.length;
      const before = spec.series[read.series].points[read.point];
      const series = (read.series + across + count) % count;
      const { points } = spec.series[series];
      const from = across && before ? points.findIndex((p) => p[0] >= before[0]) : read.point;
      read = { series, point: Math.max(0, Math.min(points.length - 1, from + along)) };
      names.show(spec.series[read.series], read.point);
    });
    legend.replaceChildren(...legendOf(spec));
    LN.onwidth(drawing, redraw);
    const update = (changes) => {
      Object.assign(spec, changes);
      read = { series: 0, point: -1 };
      legend.replaceChildren(...legendOf(spec));
      if (drawing.clientWidth) redraw(drawing.clientWidth);
    };
    return { node: el("div", {}, legend, drawing), update };
  };
})();
