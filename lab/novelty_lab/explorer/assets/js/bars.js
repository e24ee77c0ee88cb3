"use strict";
/* Bar charts in SVG, as wide as their box; a bar is named on hover, and chosen by click or arrow keys. */
(() => {
  const { svg, el } = LN;
  const { scale, segment, frame } = LN.charts;

  /** One bar with its standard deviation, dash and name, in a column of the chart.
   * @param {Bar} bar @param {{ left: number, wide: number, shaded: boolean }} column
   * @param {Layout} layout */
  function draw(bar, { left, wide, shaded }, { box, y }) {
    const inner = Math.max(1.5, wide * 0.78);
    const edge = left + (wide - inner) / 2;
    const middle = edge + inner / 2;
    const top = y.place(bar.value);
    const whole = { x: left, width: wide, y: box.top, height: box.bottom - box.top };
    const filled = { x: edge, width: inner, y: top, height: Math.max(0.5, box.bottom - top) };
    const node = svg(
      "g",
      { class: "bar", "data-key": bar.key },
      svg("rect", { ...whole, style: { fill: shaded ? "var(--line)" : "transparent" } }),
      svg("rect", { ...filled, rx: Math.min(2, inner / 4), style: { fill: LN.paint(bar.colour) } }),
    );
    if (bar.sd) {
      const [low, high] = [y.place(bar.value - bar.sd), y.place(bar.value + bar.sd)];
      node.append(segment(middle, low, middle, high, { stroke: "var(--ink)" }));
    }
    if (bar.dash !== undefined) {
      const at = y.place(bar.dash);
      const dash = (style) => segment(edge - 0.5, at, edge + inner + 0.5, at, style);
      // A rim in the colour of the card: the dash is seen on any bar, in light and dark.
      node.append(
        dash({ stroke: "var(--card)", strokeWidth: 4 }),
        dash({ stroke: "var(--ink)", strokeWidth: 1.5 }),
      );
    }
    node.addEventListener("pointermove", (event) => LN.tip(event, bar.text));
    node.addEventListener("pointerleave", LN.untip);
    return { node, middle };
  }

  LN.charts.bars = (spec) => {
    const { bars, choose } = spec;
    const tabindex = choose ? 0 : null;
    const drawing = el("div", { tabindex, role: "group", "aria-label": spec.label });
    let { chosen } = spec;
    const redraw = (width) => {
      const height = spec.height || 230;
      // Names that would touch each other stand on two lines, by turns.
      const wide = (width - 44) / bars.length;
      const tight = spec.names && Math.max(...bars.map((b) => 8 * b.name.length)) > wide;
      const under = spec.names ? (tight ? 56 : 40) : 26;
      const box = { left: 40, right: width - 4, top: 22, bottom: height - under };
      const most = Math.max(...bars.map((b) => Math.max(b.value + (b.sd || 0), b.dash || 0)));
      const y = scale({ domain: [0, most * 1.03] }, [], box.bottom, box.top);
      const layout = { width, height, box, x: { ticks: [], place: (v) => v }, y };
      const root = frame(layout, { label: spec.label, across: spec.x, up: spec.y });
      for (const [i, bar] of bars.entries()) {
        const column = { left: box.left + i * wide, wide, shaded: bar.key === chosen };
        const { node, middle } = draw(bar, column, layout);
        const y = box.bottom + (tight && i % 2 ? 31 : 15);
        if (spec.names)
          node.append(svg("text", { x: middle, y, "text-anchor": "middle" }, bar.name));
        if (choose) node.addEventListener("click", () => choose(bar.key));
        root.append(node);
      }
      drawing.replaceChildren(root);
    };
    drawing.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way || !choose) return;
      event.preventDefault();
      const at = bars.findIndex((bar) => bar.key === chosen);
      choose(bars[(at + way + bars.length) % bars.length].key);
    });
    LN.onwidth(drawing, redraw);
    const mark = (key) => {
      chosen = key;
      if (drawing.clientWidth) redraw(drawing.clientWidth);
    };
    return { node: drawing, mark };
  };
})();
