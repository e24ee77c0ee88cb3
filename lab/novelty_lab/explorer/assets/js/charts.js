"use strict";
/* Line charts and bars in SVG, as wide as their box; the nearest point is named on hover, or by arrow keys. */
LN.charts = {};

(function () {
  const { svg, el } = LN;

  function ticks(low, high, count) {
    const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
    const found = [];
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) found.push(v);
    return found;
  }
  const short = (v) => plain(v).replace("-", "−");
  const plain = (v) => {
    const size = Math.abs(v);
    if (size >= 1e6) return +(v / 1e6).toPrecision(4) + "M";
    if (size >= 1e4) return +(v / 1e3).toPrecision(4) + "k";
    return String(+v.toPrecision(4));
  };

  function scale(axis, values, from, to) {
    let [low, high] = axis.domain || [Math.min(...values), Math.max(...values)];
    if (low === high) { low -= 1; high += 1; }
    if (!axis.domain && !axis.log) { const pad = 0.05 * (high - low); low -= pad; high += pad; }
    const f = axis.log ? Math.log : (v) => v;
    const place = (v) => from + (to - from) * (f(v) - f(low)) / (f(high) - f(low));
    return { place, ticks: axis.ticks || ticks(low, high, axis.count || 5) };
  }

  function frame(width, height, spec, x, y, box) {
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img",
      "aria-label": spec.label });
    for (const v of y.ticks) {
      root.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: y.place(v), y2: y.place(v) }),
        svg("text", { x: box.left - 6, y: y.place(v) + 4, "text-anchor": "end" }, short(v)));
    }
    for (const v of x.ticks) {
      root.append(svg("text", { x: x.place(v), y: box.bottom + 19, "text-anchor": "middle" }, short(v)));
    }
    root.append(svg("text", { x: (box.left + box.right) / 2, y: height - 2, "text-anchor": "middle" }, spec.x.label),
      svg("text", { x: 2, y: 11, class: "title" }, spec.y.label));
    return root;
  }

  const line = (points, x, y) => points.map(([a, b], i) =>
    `${i ? "L" : "M"}${x.place(a).toFixed(1)} ${y.place(b).toFixed(1)}`).join("");

  function drawSeries(root, s, x, y) {
    const style = { stroke: LN.paint(s.colour), fill: "none", strokeWidth: s.width || 2, opacity: s.faint ? 0.45 : 1 };
    if (!s.dots || s.dots === "joined") root.append(svg("path", { d: line(s.points, x, y),
      "stroke-dasharray": s.dash ? "6 4" : null, style }));
    if (s.dots) for (const [a, b] of s.points) root.append(svg("circle", { cx: x.place(a),
      cy: y.place(b), r: 3.5, style: { fill: LN.paint(s.colour) } }));
  }
  /* An interval around a line: points {x, low, high}. */
  function drawBand(root, s, x, y) {
    const there = s.band.map(([a, , high]) => [a, high]), back = s.band.map(([a, low]) => [a, low]).reverse();
    root.append(svg("path", { class: "band", d: line([...there, ...back], x, y) + "Z",
      style: { fill: LN.paint(s.colour), opacity: 0.2, stroke: "none" } }));
  }
  /* A published mean and deviation, right of the drawing: a diamond with whiskers, and a thin level. */
  function drawReference(root, reference, at, y, box) {
    const { mean, sd, colour } = reference, middle = y.place(mean), stroke = LN.paint(colour);
    root.append(svg("line", { x1: box.left, x2: at, y1: middle, y2: middle, "stroke-dasharray": "2 5", style: { stroke } }),
      svg("line", { x1: at, x2: at, y1: y.place(mean - sd), y2: y.place(mean + sd), style: { stroke, strokeWidth: 1.6 } }),
      svg("path", { class: "reference", d: `M${at} ${middle - 6}l5 6l-5 6l-5 -6Z`, style: { fill: stroke, stroke: "var(--card)" } }));
  }

  /* series: {name, colour, points, band, around, dash, dots, width, faint, unnamed}; spec.mark: x of an upright
     line; spec.references: {name, mean, sd, colour}. Points are named on hover and by arrow keys. */
  LN.charts.lines = (spec) => {
    const legend = el("ul", { class: "legend" });
    const drawing = el("div", { class: "chart", tabindex: 0, role: "group",
      "aria-label": `${spec.label}; arrow keys read the points` });
    const holder = el("div", {}, legend, drawing);
    const told = { series: 0, point: -1 };
    let show = null;
    const draw = (width) => {
      const height = spec.height || 260, references = spec.references || [];
      const edge = references.length ? 14 + 14 * references.length : 10;
      const box = { left: 46, right: width - edge, top: 22, bottom: height - 40 };
      const all = spec.series.flatMap((s) => [...s.points, ...(s.band || []).flatMap(([a, low, high]) => [[a, low], [a, high]])]);
      show = null;
      if (!all.length) { drawing.replaceChildren(el("p", {}, "Not run yet.")); return; }
      const x = scale({ ...spec.x, count: width < 420 ? 4 : 6 }, all.map((p) => p[0]), box.left, box.right);
      const marked = references.flatMap((r) => [r.mean - r.sd, r.mean + r.sd]);
      const y = scale(spec.y, [...all.map((p) => p[1]), ...marked], box.bottom, box.top);
      const root = frame(width, height, spec, x, y, box);
      if (spec.level !== undefined) root.append(svg("line", { x1: box.left, x2: box.right,
        y1: y.place(spec.level), y2: y.place(spec.level), style: { stroke: "var(--soft)" } }));
      references.forEach((reference, i) => drawReference(root, reference, box.right + 14 + 14 * i, y, box));
      for (const s of spec.series) if (s.band) drawBand(root, s, x, y);
      for (const s of spec.series) drawSeries(root, s, x, y);
      if (spec.mark !== undefined) root.append(svg("line", { x1: x.place(spec.mark), x2: x.place(spec.mark),
        y1: box.top, y2: box.bottom, "stroke-dasharray": "3 3", style: { stroke: "var(--ink)" } }));
      const spot = svg("circle", { r: 6, visibility: "hidden", style: { fill: "none", stroke: "var(--ink)", strokeWidth: 2 } });
      root.append(spot);
      const text = (s, k) => {
        const around = s.band && s.band[k] ? ` (${s.around || "95%"}: ${short(s.band[k][1])} to ${short(s.band[k][2])})` : "";
        return `${s.name}\n${spec.x.label}: ${short(s.points[k][0])}\n${spec.y.label}: ${short(s.points[k][1])}${around}`;
      };
      const name = (event, s, k) => {
        spot.setAttribute("cx", x.place(s.points[k][0])); spot.setAttribute("cy", y.place(s.points[k][1]));
        spot.setAttribute("visibility", "visible");
        LN.tip(event, text(s, k));
      };
      const unname = () => { spot.setAttribute("visibility", "hidden"); LN.untip(); };
      show = (s, k) => {
        const place = root.getBoundingClientRect();
        name({ clientX: place.left + x.place(s.points[k][0]) * place.width / width,
          clientY: place.top + y.place(s.points[k][1]) * place.height / height }, s, k);
      };
      root.addEventListener("pointermove", (event) => {
        const place = root.getBoundingClientRect();
        const px = (event.clientX - place.left) * width / place.width;
        const py = (event.clientY - place.top) * height / place.height;
        let best = null, least = 900;
        for (const s of spec.series) s.points.forEach((p, k) => {
          const d = (x.place(p[0]) - px) ** 2 + (y.place(p[1]) - py) ** 2;
          if (d < least) { least = d; best = [s, k]; }
        });
        const at = references.findIndex((r, i) => Math.abs(px - box.right - 14 - 14 * i) < 7);
        if (at >= 0) LN.tip(event, `${references[at].name}\n${spec.y.label}: ${short(references[at].mean)} ± ${short(references[at].sd)}`);
        else if (best) name(event, ...best); else unname();
      });
      root.addEventListener("pointerleave", unname);
      drawing.onblur = unname;
      drawing.replaceChildren(root);
    };
    drawing.addEventListener("keydown", (event) => {
      const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key], across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!show || !(along || across)) return;
      event.preventDefault();
      const n = spec.series.length, before = spec.series[told.series % n].points[told.point];
      if (across) {
        told.series = (told.series + across + n) % n;
        if (before) told.point = spec.series[told.series].points.findIndex((p) => p[0] >= before[0]);
      }
      const { points } = spec.series[told.series %= n];
      told.point = Math.max(0, Math.min(points.length - 1, told.point + (along || 0)));
      show(spec.series[told.series], told.point);
    });
    const names = () => {
      const seen = new Map(spec.series.filter((s) => !s.unnamed).map((s) => [s.name, s]));
      legend.replaceChildren(...(seen.size < 2 && !spec.references ? [] : [...seen].map(([name, s]) => el("li", {},
        LN.swatch(s.colour, s.dash ? "dash" : "line"), name))), ...(spec.extra || []));
    };
    names();
    LN.onwidth(drawing, draw);
    return { node: holder, update: (changes) => {
      Object.assign(spec, changes);
      told.series = 0; told.point = -1;
      names();
      if (drawing.clientWidth) draw(drawing.clientWidth);
    } };
  };

  /* bars: {key, name, value, sd, floor, colour, text}; a bar is chosen by pointer or arrow keys. */
  LN.charts.bars = (spec) => {
    const drawing = el("div", { tabindex: spec.choose ? 0 : null, role: "group", "aria-label": spec.label });
    let chosen = spec.chosen;
    const draw = (width) => {
      const height = spec.height || 230;
      const box = { left: 40, right: width - 4, top: 22, bottom: height - (spec.names ? 40 : 26) };
      const most = Math.max(...spec.bars.map((b) => b.value + (b.sd || 0)), ...spec.bars.map((b) => b.floor || 0));
      const y = scale({ domain: [0, most * 1.03] }, [], box.bottom, box.top);
      const x = { ticks: [], place: (v) => v };
      const root = frame(width, height, { ...spec, x: { label: spec.x } , y: { label: spec.y } }, x, y, box);
      const step = (box.right - box.left) / spec.bars.length, inner = Math.max(1.5, step * 0.78);
      spec.bars.forEach((bar, i) => {
        const left = box.left + i * step + (step - inner) / 2, middle = left + inner / 2;
        const part = svg("g", { class: "bar", "data-key": bar.key });
        part.append(svg("rect", { x: box.left + i * step, width: step, y: box.top, height: box.bottom - box.top,
          style: { fill: bar.key === chosen ? "var(--line)" : "transparent" } }));
        part.append(svg("rect", { x: left, width: inner, y: y.place(bar.value), rx: Math.min(2, inner / 4),
          height: Math.max(0.5, box.bottom - y.place(bar.value)), style: { fill: LN.paint(bar.colour) } }));
        if (bar.sd) part.append(svg("line", { x1: middle, x2: middle, y1: y.place(bar.value - bar.sd),
          y2: y.place(bar.value + bar.sd), style: { stroke: "var(--ink)" } }));
        // A rim in the colour of the card: the dash is seen on any bar, in light and dark.
        if (bar.floor !== undefined) for (const [stroke, strokeWidth] of [["var(--card)", 4], ["var(--ink)", 1.5]]) {
          part.append(svg("line", { x1: left - 0.5, x2: left + inner + 0.5, y1: y.place(bar.floor), y2: y.place(bar.floor), style: { stroke, strokeWidth } }));
        }
        if (spec.names) part.append(svg("text", { x: middle, y: box.bottom + 15, "text-anchor": "middle" }, bar.name));
        part.addEventListener("pointermove", (event) => LN.tip(event, bar.text));
        part.addEventListener("pointerleave", LN.untip);
        if (spec.choose) part.addEventListener("click", () => spec.choose(bar.key));
        root.append(part);
      });
      drawing.replaceChildren(root);
    };
    drawing.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way || !spec.choose) return;
      event.preventDefault();
      const at = spec.bars.findIndex((bar) => bar.key === chosen);
      spec.choose(spec.bars[(at + way + spec.bars.length) % spec.bars.length].key);
    });
    LN.onwidth(drawing, draw);
    return { node: drawing, mark: (key) => { chosen = key; if (drawing.clientWidth) draw(drawing.clientWidth); } };
  };
})();
