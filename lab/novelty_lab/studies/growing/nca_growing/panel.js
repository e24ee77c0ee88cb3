"use strict";
/* A part of the neural automaton's panel: before and after its observer grows. */
(() => {
  const { el } = LN;
  const ARMS = {
    frozen: ["grey", "the paper's observer"],
    large: ["orange", "large from the start"],
    growing: ["blue", "growing"],
  };
  const view = { update: "", seed: 0 };
  let runs;
  let training;
  let judged;
  let pictures;
  let profiles;
  let profile;

  const chosen = () =>
    Object.entries(runs).filter(([, r]) => r.update === view.update && r.seed === view.seed);
  const size = (phase) =>
    `${phase.channels} channels, ${phase.depth} layers${phase.focused ? ", focused" : ""}${phase.annealed ? ", annealed" : ""}`;
  const COLOURS = ["blue", "orange", "green", "purple", "red"];

  function picture(data, number, caption) {
    const [, height, width] = data.shape;
    const canvas = el("canvas", {
      class: "pixels",
      role: "img",
      "aria-label": `Space-time diagram, ${caption}`,
      width,
      height,
      style: { aspectRatio: "1" },
    });
    const context = LN.pen(canvas);
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const from = number * width * height;
    for (let i = 0; i < pixels.length; i++) pixels[i] = LN.neural.colours[data.values[from + i]];
    context.putImageData(image, 0, 0);
    return LN.figure([canvas], caption);
  }
  function drawPictures() {
    const found = chosen().find(([, r]) => r.arm === "growing");
    if (!found) return;
    const [key, run] = found;
    LN.need(`together-${key}`, (content) => {
      const data = { shape: content.pictures.shape, values: LN.unpack(content.pictures) };
      const caption = (i) => {
        const phase = run.phases[i - 1];
        const when = i ? `After phase ${i - 1} (${size(phase)})` : "Untrained";
        return `${when}: ${LN.number(100 * run.travelling[i], 0)}% of the pattern moves at a steady speed.`;
      };
      pictures.replaceChildren(...run.travelling.map((_, i) => picture(data, i, caption(i))));
    });
    const growths = run.phases.filter((phase) => phase.tried.length);
    const saved = (tried) => {
      const [first] = tried;
      const whole = (step) => step.model_bits + step.residual_bits;
      return tried.map((step, k) => [k, (whole(step) - whole(first)) / 1000]);
    };
    profile.update({
      series: growths.map((phase, i) => ({
        name: `growth ${i + 1}, after phase ${run.phases.indexOf(phase)}`,
        colour: COLOURS[i % COLOURS.length],
        points: saved(phase.tried),
        dots: /** @type {const} */ ("joined"),
      })),
    });
    const rows = growths.flatMap((phase, i) =>
      phase.tried.map((step) => ({
        mark: step.kept ? "chosen" : null,
        cells: [
          String(i + 1),
          step.rounds ? `${step.kind}, round ${step.rounds}` : step.kind,
          `${step.width} × ${step.depth}`,
          LN.number(step.model_bits, 1),
          LN.number(step.residual_bits, 0),
          LN.number(step.held_out_variance, 3),
        ],
      })),
    );
    const heads = ["growth", "step", "size", "model bits", "residual bits", "held-out variance"];
    profiles.replaceChildren(
      rows.length
        ? LN.table(heads, rows, (i) => i > 2, true)
        : el("p", { class: "note" }, "The observer of this run did not grow."),
    );
  }
  function draw() {
    const series = (points) =>
      chosen().map(([, r]) => ({
        name: ARMS[r.arm][1],
        colour: ARMS[r.arm][0],
        points: points(r),
        dots: points(r).length < 30 ? /** @type {const} */ ("joined") : false,
      }));
    training.update({ series: series((r) => r.curve) });
    judged.update({ series: series((r) => r.judged) });
    drawPictures();
  }

  /* The end of the growing arm beside that of the paper's observer, by the fixed judge. */
  function finding(all) {
    const last = (update, arm, seed) =>
      all.find((r) => r.update === update && r.arm === arm && r.seed === seed)?.judged.at(-1)[1];
    const told = [...new Set(all.map((r) => r.update))].map((update) => {
      const growing = all.filter((r) => r.update === update && r.arm === "growing");
      const gains = growing.map((r) => r.judged.at(-1)[1] - last(update, "frozen", r.seed));
      const mean = LN.mean(gains);
      const sign = mean > 0 ? "+" : "";
      return `${sign}${LN.number(mean, 1)} raw bits (${update} update; ${LN.range(gains, 1)} in ${LN.count(gains.length, "seed")})`;
    });
    return `By one fixed judge and at the same compute, training against an observer that grows changes the final score by ${told.join(" and by ")}, compared with the paper's observer.`;
  }

  function build(root) {
    runs = LN.data.together.runs;
    const all = Object.values(runs);
    Object.assign(view, { update: all[0].update, seed: all[0].seed });
    const distinct = (name) => [...new Set(all.map((r) => r[name]))].map((v) => [v, String(v)]);
    const x = { label: "compute, in training steps with the paper's observer" };
    const chart = (label) =>
      LN.charts.lines({ label, series: [], height: 280, x, y: { label: "raw bits" } });
    training = chart("Score in training, by arm");
    judged = chart("Bits by a fixed judge, by arm");
    const longest = Math.max(...all.flatMap((r) => r.phases.map((phase) => phase.tried.length)));
    profile = LN.charts.lines({
      label: "Profile of every growth",
      series: [],
      height: 260,
      empty: "The observer of this run did not grow.",
      x: {
        label: "observer that was tried: 0 as it was, then wider, deeper, focused",
        ticks: Array.from({ length: longest }, (_, k) => k),
      },
      y: { label: "length of the description, change in thousands of bits" },
    });
    pictures = el("div", { class: "cards" });
    profiles = el("div");
    root.append(
      el("h3", {}, "Against an observer that grows"),
      el("p", { class: "finding" }, finding(all)),
      el(
        "div",
        { class: "controls" },
        LN.select("Update", distinct("update"), view.update, (u) => {
          view.update = u;
          draw();
        }),
        LN.select("Seed", distinct("seed"), view.seed, (s) => {
          view.seed = +s;
          draw();
        }),
      ),
      el(
        "div",
        { class: "split" },
        LN.figure(
          [training.node],
          "Score under each arm's own observer. When the blue curve stops rising, its observer grows, and the same rule has another score.",
          "Ours; the observer of the paper never grows.",
        ),
        LN.figure(
          [judged.node],
          `Raw bits by one fixed observer (${all[0].judge}: channels x layers) that no arm was trained against. All arms have the same compute.`,
        ),
      ),
      pictures,
      LN.figure(
        [profile.node, profiles],
        "What was tried at each growth. The description is the bits of the model and of its errors on new states; the curve is its length less that of the observer as it was. Shaded: the shortest description, which was kept.",
      ),
    );
    draw();
  }
  LN.parts.push({ panel: "neural", data: ["together"], build });
})();
