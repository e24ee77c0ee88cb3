"use strict";
/* A torus that runs one life-like rule: paint on it, step it, fill it with soup. */
(() => {
  const { el } = LN;
  const { Torus, flashes } = LN.life;
  const rgba = (name) => {
    const [r, g, b] = LN.rgb(name);
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  };
  const SPEEDS = [2, 10, 30, 60, 120, 240, 480];
  const MOST = 16;

  LN.lifeWorld = () => {
    const view = {
      rule: LN.life.ruleFrom("B3/S23"),
      running: !LN.still,
      speed: 60,
      even: true,
      density: 0.5,
      frame: 0,
      last: 0,
      due: 0,
      brush: /** @type {number | null} */ (null),
      at: /** @type {[number, number]} */ ([0, 0]),
      cursor: /** @type {number[] | null} */ (null),
      fps: 0,
      cost: 0,
    };
    let torus = new Torus(256, 256);
    let image;
    let pixels;
    const canvas = el("canvas", {
      class: "pixels touch",
      tabindex: 0,
      role: "application",
      "aria-label":
        "Cells of the running rule. Press or drag to paint; with the keyboard, arrow keys move a cursor and Space changes the cell under it.",
      style: { aspectRatio: "1" },
    });
    const context = LN.pen(canvas);

    function draw() {
      torus.paint(pixels, rgba("ink"), rgba("card"));
      if (view.cursor) {
        const [x, y] = view.cursor;
        const orange = rgba("orange");
        for (const [dx, dy] of [
          [1, 0],
          [-1, 0],
          [0, 1],
          [0, -1],
        ])
          pixels[wrap(y + dy, torus.height) * torus.width + wrap(x + dx, torus.width)] = orange;
      }
      context.putImageData(image, 0, 0);
    }
    const wrap = (v, size) => ((v % size) + size) % size;
    function resize(side, height = side) {
      torus = new Torus(side, height);
      canvas.width = side;
      canvas.height = height;
      canvas.style.aspectRatio = `${side} / ${height}`;
      image = context.createImageData(side, height);
      pixels = new Uint32Array(image.data.buffer);
      view.cursor = null;
    }
    /* Who asks for less motion sees where a soup has gone, not the way there. */
    function soup() {
      torus.soup(view.density);
      for (let k = 0; k < 100 && LN.still; k++) torus.step(view.rule);
      draw();
    }
    const inPairs = () => view.even && flashes(view.rule);
    function advance(steps) {
      const start = performance.now();
      for (let k = 0; k < steps; k++) torus.step(view.rule);
      if (steps) view.cost += (performance.now() - start - view.cost * steps) / (20 + steps);
    }
    let frames = 0;
    let since = 0;
    function tick(now) {
      view.frame = requestAnimationFrame(tick);
      const passed = Math.min(100, now - view.last);
      view.last = now;
      frames++;
      if (now - since > 1000) {
        view.fps = (1000 * frames) / (now - since);
        frames = 0;
        since = now;
        tell();
      }
      if (!view.running || view.brush !== null) return;
      view.due = Math.min(MOST, view.due + (passed * view.speed) / 1000 + 1e-3);
      const unit = inPairs() ? 2 : 1;
      const steps = unit * Math.floor(view.due / unit);
      view.due -= steps;
      if (steps) {
        advance(steps);
        draw();
      }
    }
    function tell() {
      const { width, height, time } = torus;
      const share = (100 * torus.population()) / (width * height);
      rate.textContent =
        `Step ${LN.number(time, 0)}, ${LN.number(share, 1)} % of the cells live. ` +
        (view.running
          ? `${Math.round(view.fps)} frames a second at ${width} × ${height} cells.`
          : "");
    }
    function setRunning(running) {
      view.running = running;
      view.due = 0;
      pause.textContent = running ? "Pause" : "Run";
    }

    /** @returns {[number, number]} */
    const cellOf = (event) => {
      const box = canvas.getBoundingClientRect();
      return [
        Math.floor(((event.clientX - box.left) / box.width) * torus.width),
        Math.floor(((event.clientY - box.top) / box.height) * torus.height),
      ];
    };
    /* A line of cells from where the pointer was, so that a fast stroke has no holes. */
    function stroke([x, y]) {
      const [a, b] = view.at;
      const steps = Math.max(Math.abs(x - a), Math.abs(y - b), 1);
      for (let k = 0; k <= steps; k++) {
        const cx = Math.round(a + ((x - a) * k) / steps);
        const cy = Math.round(b + ((y - b) * k) / steps);
        if (cx >= 0 && cy >= 0 && cx < torus.width && cy < torus.height)
          torus.set(cx, cy, Boolean(view.brush));
      }
      view.at = [x, y];
      draw();
    }
    /* The world stands still while it is painted on. */
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      view.at = cellOf(event);
      view.brush = 1 - torus.get(...view.at);
      stroke(view.at);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (view.brush !== null) stroke(cellOf(event));
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => {
        view.brush = null;
      });
    canvas.addEventListener("blur", () => {
      view.cursor = null;
      draw();
    });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      if (!way && event.key !== " ") return;
      event.preventDefault();
      const [x, y] = view.cursor || [torus.width >> 1, torus.height >> 1];
      const by = event.shiftKey ? 8 : 1;
      view.cursor =
        way && view.cursor
          ? [wrap(x + by * way[0], torus.width), wrap(y + by * way[1], torus.height)]
          : [x, y];
      if (!way) torus.set(x, y, 1 - torus.get(x, y));
      draw();
    });

    const pause = el(
      "button",
      {
        type: "button",
        class: "primary",
        onclick: () => {
          setRunning(!view.running);
          tell();
        },
      },
      view.running ? "Pause" : "Run",
    );
    const rate = el("span");
    const told = el("span");
    const even = el("input", {
      type: "checkbox",
      onchange: () => {
        view.even = even.checked;
      },
    });
    even.checked = true;
    const calm = el(
      "label",
      { class: "calm", hidden: true },
      even,
      "show every second step only: under this rule the empty plane flashes",
    );
    const density = el("input", {
      type: "range",
      min: 1,
      max: 99,
      oninput: () => {
        view.density = +density.value / 100;
        name();
        soup();
      },
    });
    density.value = "50";
    const name = () => {
      told.textContent = `Soup, ${density.value} % living`;
    };
    const controls = [
      el(
        "div",
        { class: "controls" },
        pause,
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              setRunning(false);
              advance(1);
              draw();
              tell();
            },
          },
          "Step",
        ),
        el("button", { type: "button", onclick: soup }, "New soup"),
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              torus.clear();
              draw();
              tell();
            },
          },
          "Clear",
        ),
      ),
      el(
        "div",
        { class: "controls" },
        LN.select(
          "Steps a second",
          SPEEDS.map((s) => [s, String(s)]),
          view.speed,
          (s) => {
            view.speed = +s;
          },
        ),
        LN.select(
          "Cells across",
          [64, 128, 256, 512].map((s) => [s, String(s)]),
          256,
          (s) => {
            resize(+s);
            soup();
            tell();
          },
        ),
        el("label", {}, el("small", {}, told), density),
      ),
    ];
    name();
    resize(torus.width);
    soup();
    return {
      node: canvas,
      controls,
      calm,
      rate,
      draw,
      start: () => {
        cancelAnimationFrame(view.frame);
        view.last = since = performance.now();
        frames = 0;
        view.frame = requestAnimationFrame(tick);
      },
      stop: () => cancelAnimationFrame(view.frame),
      /* Run a rule from a new soup. */
      run: (rule) => {
        view.rule = rule;
        calm.hidden = !flashes(rule);
        soup();
        setRunning(!LN.still);
        tell();
      },
      /* For tests: stop, take cells row by row, and go so many steps on. */
      play: (rule, width, cells, steps) => {
        setRunning(false);
        resize(width, cells.length / width);
        cells.forEach((alive, i) => {
          torus.set(i % width, Math.floor(i / width), alive);
        });
        view.rule = rule;
        advance(steps);
        draw();
      },
      cells: () =>
        Array.from({ length: torus.width * torus.height }, (_, i) =>
          torus.get(i % torus.width, Math.floor(i / torus.width)),
        ),
      pixels: () =>
        Array.from(
          context.getImageData(0, 0, torus.width, torus.height).data.filter((_, i) => i % 4 === 0),
        ),
      pause: () => setRunning(false),
      rule: () => view.rule,
      size: () => [torus.width, torus.height],
      fps: () => view.fps,
      cost: () => view.cost,
    };
  };
})();
