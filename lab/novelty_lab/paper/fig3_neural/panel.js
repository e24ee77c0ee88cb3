"use strict";
/* The neural automaton live: any run, any checkpoint; the pointer disturbs it. */
(() => {
  const { el } = LN;
  const { colours } = LN.neural;

  const view = {
    key: "",
    checkpoint: 0,
    running: !LN.still,
    frame: 0,
    wide: 0,
    height: 256,
    rule: /** @type {NeuralRule | null} */ (null),
    fps: 0,
  };
  let table;
  let ring;
  let canvas;
  let context;
  let image;
  let pixels;
  let stats;
  let curve;
  let pause;
  let slider;
  let told;
  let rate;
  let boxes;
  let every = 1;
  /* The site that the pointer holds, if any. */
  /** @type {number | null} */
  let pressed = null;

  const run = () => table.runs[view.key];
  function paintLine() {
    const n = ring.width;
    const x = ring.state;
    pixels.copyWithin(0, n);
    for (let i = 0, z = pixels.length - n; i < n; i++, z++) {
      pixels[z] =
        colours[Math.round((Math.atan2(x[2 * i + 1], x[2 * i]) / (2 * Math.PI)) * 256) & 255];
    }
  }
  function advance() {
    if (pressed !== null) disturb(pressed);
    ring.step(view.rule, run().update === "residual");
    paintLine();
  }
  function disturb(site) {
    for (let k = -4; k <= 4; k++) ring.point(site + k, 2 * Math.PI * Math.random());
  }
  let frames = 0;
  let since = 0;
  function tick(now) {
    if (view.rule && ring && view.running) {
      for (let k = 0; k < every; k++) advance();
      context.putImageData(image, 0, 0);
      frames++;
      if (now - since > 1000) {
        view.fps = (1000 * frames) / (now - since);
        rate.textContent = `${Math.round(view.fps)} frames a second, ${ring.width} sites`;
        frames = 0;
        since = now;
      }
    }
    view.frame = requestAnimationFrame(tick);
  }
  function resize(width) {
    ring = new LN.neural.Ring(width);
    canvas.width = width;
    canvas.height = view.height;
    image = context.createImageData(width, view.height);
    pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < view.height && view.rule; k++) advance();
    context.putImageData(image, 0, 0);
  }
  /* A new random start under the rule, and its picture. */
  const refill = () => {
    if (ring) resize(ring.width);
  };
  function fit(width) {
    const sites = view.wide || Math.max(64, Math.min(512, 4 * Math.round(width / 8)));
    view.height = Math.round(Math.min(256, Math.max(96, sites * (innerWidth < 700 ? 0.8 : 0.5))));
    if (!ring || ring.width !== sites || canvas.height !== view.height) resize(sites);
  }

  function load(done) {
    const key = view.key;
    LN.need(`neural-${key}`, (data) => {
      if (!data.vectors) data.vectors = LN.unpack(data.weights);
      if (key !== view.key) return;
      const size = data.weights.shape[1];
      const from = view.checkpoint * size;
      view.rule = LN.neural.fold(
        data.vectors.subarray(from, from + size),
        table.hidden,
        table.radius,
      );
      tell();
      if (done) done();
    });
  }
  function tell() {
    const r = run();
    const step = table.checkpoints[view.checkpoint];
    const at = r.curve[Math.min(r.curve.length - 1, Math.round(step / r.every))];
    told.textContent = `training step ${step} of ${table.steps}`;
    stats.replaceChildren(
      LN.stats([
        ["raw bits at this step", LN.number(at, 1)],
        ["raw bits, untrained → trained", `${LN.number(r.start, 1)} → ${LN.number(r.final, 1)}`],
        [
          "share that moves, before → after training",
          `${LN.number(100 * r.travelling[0], 0)} → ${LN.number(100 * r.travelling[1], 0)}`,
          "%",
        ],
      ]),
    );
    curve.update({
      mark: step,
      series: Object.entries(table.runs)
        .filter(([, other]) => other.update === r.update)
        .sort(([key]) => (key === view.key ? 1 : -1))
        .map(([key, other]) => ({
          name: `seed ${other.seed}`,
          unnamed: true,
          colour: key === view.key ? (r.update === "residual" ? "blue" : "orange") : "grey",
          faint: key !== view.key,
          width: key === view.key ? 2.5 : 1,
          points: other.curve.map((bits, i) => [i * other.every, bits]),
        })),
    });
  }
  function choose(update, seed) {
    const wanted = ([, other]) => other.update === update && other.seed === +seed;
    view.key = Object.entries(table.runs).find(wanted)?.[0] ?? view.key;
    load(refill);
    LN.changed();
  }
  /* A run and a step of its training, such as direct-seed-2/1000. */
  function goTo(text) {
    const [key, step] = (text || Object.keys(table.runs)[0]).split("/");
    const checkpoint =
      step === undefined ? table.checkpoints.length - 1 : table.checkpoints.indexOf(+step);
    if (!table.runs[key] || checkpoint < 0) return false;
    Object.assign(view, { key, checkpoint });
    slider.value = checkpoint;
    const { update, seed } = table.runs[key];
    LN.selected(boxes.update, update);
    LN.selected(boxes.seed, seed);
    load(refill);
  }

  function build(root) {
    table = LN.data.neural;
    view.key = Object.keys(table.runs)[0];
    view.checkpoint = table.checkpoints.length - 1;
    const updates = [...new Set(Object.values(table.runs).map((r) => r.update))];
    const seeds = [...new Set(Object.values(table.runs).map((r) => r.seed))];
    boxes = {
      update: LN.select(
        "Update",
        updates.map((u) => [u, u]),
        run().update,
        (u) => choose(u, run().seed),
      ),
      seed: LN.select(
        "Seed",
        seeds.map((s) => [s, String(s)]),
        run().seed,
        (s) => choose(run().update, s),
      ),
    };
    pause = el(
      "button",
      { type: "button", class: "primary", onclick: () => setRunning(!view.running) },
      view.running ? "Pause" : "Run",
    );
    slider = el("input", {
      type: "range",
      min: 0,
      max: table.checkpoints.length - 1,
      value: view.checkpoint,
      "aria-label": "Checkpoint of the training",
      oninput: () => {
        view.checkpoint = +slider.value;
        load();
        LN.changed(true);
      },
    });
    slider.value = view.checkpoint;
    told = el("span");
    rate = el("span");
    stats = el("div");
    canvas = el("canvas", {
      class: "pixels touch",
      role: "img",
      "aria-label": "Space-time diagram of the neural automaton, newest line at the bottom",
    });
    curve = LN.charts.lines({
      label: "Score during training",
      series: [],
      height: 300,
      x: { label: "training step" },
      y: { label: "raw bits" },
    });
    root.append(
      el(
        "div",
        { class: "controls" },
        boxes.update,
        boxes.seed,
        LN.select(
          "Sites",
          [
            [0, "as the window"],
            [64, "64, as trained"],
            [128, "128"],
            [256, "256"],
            [512, "512"],
          ],
          0,
          (w) => {
            view.wide = +w;
            fit(canvas.clientWidth);
          },
        ),
        LN.select(
          "Speed",
          [
            [1, "1 step a frame"],
            [2, "2"],
            [4, "4"],
          ],
          1,
          (k) => {
            every = +k;
          },
        ),
        pause,
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              setRunning(false);
              advance();
              context.putImageData(image, 0, 0);
            },
          },
          "Step",
        ),
        el("button", { type: "button", onclick: () => ring.randomize() }, "Random start"),
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              disturb(ring.width >> 1);
            },
          },
          "Poke the middle",
        ),
      ),
      stats,
      el(
        "div",
        { class: "split" },
        LN.figure(
          [canvas],
          [
            "Every site holds a direction, shown as a colour; time runs downward. ",
            el("b", {}, "Press on the picture to disturb the sites under the pointer"),
            " and watch what travels. ",
            rate,
          ],
          "In the paper: the inverse problem, figure 3. Batch normalization uses its running moments here.",
        ),
        LN.figure(
          [el("div", { class: "controls" }, el("label", {}, told, slider)), curve.node],
          `The training objective: raw bits that an observer learns about the next ${table.window} steps. Dashed: the checkpoint in the picture. Grey: the other seeds. Share that moves: the part of the structures above the background that travels at a steady speed, beyond chance.`,
          "In the paper: S^φ during gradient ascent, figure 3.",
        ),
      ),
    );
    context = LN.pen(canvas);
    const site = (event) => {
      const box = canvas.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left) / box.width) * ring.width);
    };
    canvas.addEventListener("pointerdown", (event) => {
      pressed = site(event);
      disturb(pressed);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (pressed !== null) pressed = site(event);
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => {
        pressed = null;
      });
    LN.onwidth(canvas, fit);
    load(refill);
  }
  function setRunning(running) {
    view.running = running;
    pause.textContent = running ? "Pause" : "Run";
  }

  function finding() {
    const runs = Object.values(LN.data.neural.runs);
    const updates = [...new Set(runs.map((r) => r.update))];
    const told = updates.map((update) => {
      const own = runs.filter((r) => r.update === update);
      const of = (name) => LN.number(LN.mean(own.map((r) => r[name])), 1);
      return `${of("start")} to ${of("final")} raw bits (${update} update, mean of ${LN.count(own.length, "seed")})`;
    });
    return `Training raises the score from ${told.join(" and from ")}.`;
  }

  Object.assign(LN.neural, {
    fps: () => view.fps,
    state: () => Array.from(ring.state),
    /* For benchmarks: milliseconds of every frame, a step and its picture, at a number of sites. */
    frames: (key, sites, count, done) => {
      setRunning(false);
      Object.assign(view, { key, wide: sites });
      load(() => {
        fit(canvas.clientWidth);
        done(
          Array.from({ length: count }, () => {
            const start = performance.now();
            advance();
            context.putImageData(image, 0, 0);
            return performance.now() - start;
          }),
        );
      });
    },
    /* For tests: run a checkpoint from given unit vectors (site by site) and return the last ones. */
    play: (key, checkpoint, state, steps, done) =>
      LN.need(`neural-${key}`, (data) => {
        const vectors = /** @type {Float64Array} */ (LN.unpack(data.weights));
        const size = data.weights.shape[1];
        const rule = LN.neural.fold(
          vectors.subarray(checkpoint * size, (checkpoint + 1) * size),
          LN.data.neural.hidden,
          LN.data.neural.radius,
        );
        const other = new LN.neural.Ring(state.length / 2);
        other.state.set(state);
        const start = performance.now();
        for (let k = 0; k < steps; k++)
          other.step(rule, LN.data.neural.runs[key].update === "residual");
        done({ state: Array.from(other.state), milliseconds: (performance.now() - start) / steps });
      }),
  });
  LN.panels.push({
    name: "neural",
    title: "Neural automaton",
    command: "novelty run nca",
    data: ["neural"],
    terms: ["raw", "n"],
    lead: "The rule of this automaton is a small network, trained only to make its future as learnable as possible. The trained rules run live in your browser.",
    finding,
    build,
    at: () => `${view.key}/${table.checkpoints[view.checkpoint]}`,
    goTo,
    show: () => {
      cancelAnimationFrame(view.frame);
      since = performance.now();
      frames = 0;
      view.frame = requestAnimationFrame(tick);
    },
    hide: () => cancelAnimationFrame(view.frame),
  });
})();
