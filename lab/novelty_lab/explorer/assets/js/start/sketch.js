"use strict";
/* A series on a canvas, drawn with the pointer or with arrow keys. */
(() => {
  const { el } = LN;
  const HEIGHT = 230;
  const EDGE = 12;

  /* change(values, isDone) is called while the line is drawn, and when the pointer is lifted. */
  function sketch(change) {
    const canvas = el("canvas", {
      class: "touch sketch",
      tabindex: 0,
      role: "slider",
      "aria-label":
        "The series: draw on it, or choose a step with the left and right arrow keys and move its value with up and down",
      style: { height: `${HEIGHT}px` },
    });
    let values = new Float64Array(2);
    let range = [-1, 1];
    let at = 0;
    /** @type {{ place: number, value: number } | null} */
    let last = null;

    const width = () => canvas.clientWidth || 600;
    const x = (i) => EDGE + ((width() - 2 * EDGE) * i) / (values.length - 1);
    const y = (value) =>
      HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (value - range[0])) / (range[1] - range[0]);
    const tell = () => {
      canvas.setAttribute("aria-valuenow", String(+values[at].toPrecision(4)));
      canvas.setAttribute(
        "aria-valuetext",
        `step ${at + 1} of ${values.length}: ${+values[at].toPrecision(4)}`,
      );
    };

    function draw() {
      const scale = devicePixelRatio || 1;
      canvas.width = Math.round(width() * scale);
      canvas.height = HEIGHT * scale;
      const pen = LN.pen(canvas);
      pen.scale(scale, scale);
      pen.fillStyle = LN.css("shade");
      pen.fillRect(0, 0, width(), HEIGHT);
      pen.strokeStyle = LN.css("accent");
      pen.lineWidth = 2;
      pen.lineJoin = "round";
      pen.beginPath();
      values.forEach((value, i) => {
        pen.lineTo(x(i), y(value));
      });
      pen.stroke();
      if (document.activeElement !== canvas) return;
      pen.fillStyle = LN.css("ink");
      pen.beginPath();
      pen.arc(x(at), y(values[at]), 5, 0, 2 * Math.PI);
      pen.fill();
    }

    /* Where the pointer is: the step, and the value. */
    function under(event) {
      const box = canvas.getBoundingClientRect();
      const along = (event.clientX - box.left - EDGE) / (box.width - 2 * EDGE);
      const up = 1 - (event.clientY - box.top - EDGE) / (HEIGHT - 2 * EDGE);
      return {
        place: Math.max(0, Math.min(values.length - 1, Math.round(along * (values.length - 1)))),
        value: range[0] + Math.max(0, Math.min(1, up)) * (range[1] - range[0]),
      };
    }
    /* Set all steps between two places along a line. */
    function line(from, to) {
      const steps = Math.max(1, Math.abs(to.place - from.place));
      for (let k = 0; k <= steps; k++) {
        const place = from.place + Math.round(((to.place - from.place) * k) / steps);
        values[place] = from.value + ((to.value - from.value) * k) / steps;
      }
      at = to.place;
      tell();
      draw();
    }
    canvas.addEventListener("pointerdown", (event) => {
      values = values.slice();
      canvas.setPointerCapture(event.pointerId);
      last = under(event);
      line(last, last);
      change(values, false);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      const next = under(event);
      line(last, next);
      last = next;
      change(values, false);
    });
    for (const kind of ["pointerup", "pointercancel"])
      canvas.addEventListener(kind, () => {
        if (last) change(values, true);
        last = null;
      });
    canvas.addEventListener("keydown", (event) => {
      const along = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
      const up = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (along === undefined && up === undefined) return;
      event.preventDefault();
      if (along) at = Math.max(0, Math.min(values.length - 1, at + along));
      if (up) {
        values = values.slice();
        values[at] += (up * (range[1] - range[0])) / 20;
        change(values, true);
      }
      tell();
      draw();
    });
    for (const kind of ["focus", "blur"]) canvas.addEventListener(kind, draw);
    LN.onwidth(canvas, draw);

    /* Show another series; its own range, unless it is being drawn. */
    function show(shown) {
      values = shown;
      at = Math.min(at, values.length - 1);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const pad = 0.08 * (high - low) || 1;
      range = [low - pad, high + pad];
      tell();
      draw();
    }
    return { node: canvas, show, draw };
  }
  LN.start.sketch = sketch;
})();
