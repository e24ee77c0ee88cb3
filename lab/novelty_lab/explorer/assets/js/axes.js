"use strict";
/* What charts share: numbers as labels, scales, the frame with its axes, and straight lines. */
(() => {
  const { svg } = LN;

  const plain = (v) => {
    const size = Math.abs(v);
    if (size >= 1e6) return `${+(v / 1e6).toPrecision(4)}M`;
    if (size >= 1e4) return `${+(v / 1e3).toPrecision(4)}k`;
    return String(+v.toPrecision(4));
  };
  const short = (v) => plain(v).replace("-", "−");

  function ticks(low, high, count) {
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5].find((m) => m * power >= raw) || 10);
    const values = [];
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) values.push(v);
    return values;
  }

  /** @param {Axis} axis @param {number[]} values @param {number} from @param {number} to */
  function scale(axis, values, from, to) {
    let [low, high] = axis.domain || [Math.min(...values), Math.max(...values)];
    if (low === high) {
      low -= 1;
      high += 1;
    }
    if (!axis.domain && !axis.log) {
      const pad = 0.05 * (high - low);
      low -= pad;
      high += pad;
    }
    const f = axis.log ? Math.log : (v) => v;
    const place = (v) => from + ((to - from) * (f(v) - f(low))) / (f(high) - f(low));
    return { place, ticks: axis.ticks || ticks(low, high, axis.count || 5) };
  }

  /* A line between two points; other attributes as in SVG. */
  const segment = (x1, y1, x2, y2, style, other = {}) =>
    svg("line", { x1, y1, x2, y2, style, ...other });

  /** @type {Page["charts"]["frame"]} */
  function frame({ width, height, box, x, y }, { label, across, up }) {
    const size = { viewBox: `0 0 ${width} ${height}`, height };
    const root = svg("svg", { ...size, role: "img", "aria-label": label });
    for (const v of y.ticks) {
      const at = y.place(v);
      root.append(
        segment(box.left, at, box.right, at, {}, { class: "axis" }),
        svg("text", { x: box.left - 6, y: at + 4, "text-anchor": "end" }, short(v)),
      );
    }
    for (const v of x.ticks) {
      const at = { x: x.place(v), y: box.bottom + 19 };
      root.append(svg("text", { ...at, "text-anchor": "middle" }, short(v)));
    }
    const middle = { x: (box.left + box.right) / 2, y: height - 2 };
    root.append(
      svg("text", { ...middle, "text-anchor": "middle" }, across),
      svg("text", { x: 2, y: 11, class: "title" }, up),
    );
    return root;
  }

  /** @type {any} */ (LN).charts = { short, scale, segment, frame };
})();
