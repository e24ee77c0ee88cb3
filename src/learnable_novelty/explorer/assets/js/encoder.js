"use strict";
/* The encoder: a map of images at six checkpoints, what probes recover, and the controls. */
(function () {
  const { el } = LN;
  const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#8c564b", "#999999", "#7f3fbf"];
  const view = { at: 0, from: null, t: 1, only: null, timer: 0 };
  let data, points, labels, canvas, told, slider;

  function place(i, checkpoint) {
    const n = data.points.shape[1], at = 2 * (checkpoint * n + i);
    return [points[at], points[at + 1]];
  }
  function draw() {
    const size = Math.round(canvas.clientWidth * Math.min(2, devicePixelRatio));
    if (!size) return;
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const context = canvas.getContext("2d"), n = data.points.shape[1], inner = 0.96 * size, edge = 0.02 * size;
    context.clearRect(0, 0, size, size);
    for (let i = 0; i < n; i++) {
      let [x, y] = place(i, view.at);
      if (view.from !== null) {
        const [a, b] = place(i, view.from);
        x = a + (x - a) * view.t; y = b + (y - b) * view.t;
      }
      context.globalAlpha = view.only === null || view.only === labels[i] ? 0.85 : 0.08;
      context.fillStyle = COLOURS[labels[i]];
      context.beginPath();
      context.arc(edge + inner * x, edge + inner * (1 - y), size / 190, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }
  function go(to) {
    cancelAnimationFrame(view.timer);
    view.from = view.at; view.at = to; view.t = 0;
    slider.value = to;
    tell();
    const start = performance.now();
    const move = (now) => {
      const share = Math.min(1, (now - start) / 500);
      view.t = share * share * (3 - 2 * share);
      draw();
      if (share < 1) view.timer = requestAnimationFrame(move);
      else view.from = null;
    };
    view.timer = requestAnimationFrame(move);
  }
  function tell() {
    const k = view.at;
    told.textContent = `training step ${data.steps[k]}: ${LN.number(data.bits.mean[k], 1)} bits, linear probe ${LN.number(100 * data.linear.mean[k], 1)} %, nearest neighbours ${LN.number(100 * data.neighbours.mean[k], 1)} %`;
  }
  function point(event) {
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width - 0.02) / 0.96, y = 1 - ((event.clientY - box.top) / box.height - 0.02) / 0.96;
    let best = -1, least = 0.0006;
    for (let i = 0; i < labels.length; i++) {
      const [a, b] = place(i, view.at), d = (a - x) ** 2 + (b - y) ** 2;
      if (d < least) { least = d; best = i; }
    }
    if (best < 0) LN.untip(); else LN.tip(event, `an image of the digit ${labels[best]}`);
  }

  function controls() {
    const held = LN.data["encoder-controls"];
    if (!held) return [];
    return Object.entries(held.table).map(([set, codes]) => {
      const row = ([name, found]) => ({ mark: held.selected.includes(name) ? "chosen" : null, cells: [
        name === "paper" ? "the paper's recipe" : held.selected.includes(name) ? name + " (chosen)" : name,
        ...["linear", "neighbours", "clusters"].map((m) => LN.number(100 * found[m].mean, 1) + (found[m].runs > 1 ? ` ± ${LN.number(100 * found[m].sd, 1)}` : "")),
        String(found.linear.runs)] });
      return LN.figure([el("h3", {}, set === "mnist" ? "MNIST digits" : "Fashion-MNIST"),
        LN.table(["code", "linear probe, %", "5 nearest, %", "clusters, %", "runs"], Object.entries(codes).map(row), (i) => i > 0)],
        "Is the learned code better than doing nothing clever? Raw pixels and principal components (PCA-64) are the bar to clear; the probes here saw all training images, so the numbers are higher than in the curves above. Shaded: recipes chosen by a ranking that used no labels; docs/choices.md tells how blind that was. ± standard deviation between runs.", "Ours; the paper has no such controls.");
    });
  }
  function build(root) {
    data = LN.data.encoder;
    points = LN.unpack(data.points);
    labels = LN.unpack(data.labels);
    view.at = data.steps.length - 1;
    slider = el("input", { type: "range", min: 0, max: data.steps.length - 1, "aria-label": "Checkpoint of the training", oninput: () => go(+slider.value) });
    slider.value = view.at;
    told = el("span");
    canvas = el("canvas", { role: "img", "aria-label": "Map of the images' codes", style: { aspectRatio: "1" }, onpointermove: point, onpointerleave: LN.untip });
    const digits = el("div", { class: "controls" }, COLOURS.map((colour, digit) => {
      const button = el("button", { type: "button", "aria-pressed": "false", "aria-label": `Show digit ${digit} only`,
        style: { borderBottom: `4px solid ${colour}`, padding: ".2rem .55rem", minHeight: "36px" }, onclick: () => {
          view.only = view.only === digit ? null : digit;
          [...digits.children].forEach((other, k) => other.setAttribute("aria-pressed", String(k === view.only)));
          draw();
        } }, String(digit));
      return button;
    }));
    const curve = (name, label, colour) => ({ name: label, colour, dots: "joined", points: data.steps.map((s, k) => [s, 100 * data[name].mean[k]]) });
    const level = (value, label, colour) => ({ name: label, colour, dash: true, width: 1.3, points: [[data.steps[0], 100 * value], [data.steps[data.steps.length - 1], 100 * value]] });
    const probes = LN.charts.lines({ label: "Probe accuracy", height: 300, x: { label: "training step" }, y: { label: "accuracy, %", domain: [0, 100] },
      series: [curve("linear", "linear probe", "blue"), curve("neighbours", "5 nearest neighbours", "orange"), curve("clusters", "clusters", "green"),
        level(data.controls.pixels.linear, "raw pixels, linear", "sky"), level(data.chance, "largest class", "grey")] });
    const bits = LN.charts.lines({ label: "Score", height: 230, x: { label: "training step" }, y: { label: "bits", domain: [0, 65] },
      series: [{ name: "score", colour: "blue", dots: "joined", points: data.steps.map((s, k) => [s, data.bits.mean[k]]) }] });
    root.append(el("div", { class: "split" },
      LN.figure([el("div", { class: "controls" }, el("label", {}, told, slider)), digits, canvas],
        `Each dot is one of ${labels.length} handwritten digits the encoder never trained on; dots lie close where their codes are alike. The colours are the true digits, which the encoder was never told. Move the slider from the untrained to the trained encoder.`,
        "In the paper: t-SNE of the code Z, figure 4."),
      el("div", {}, LN.figure([el("h3", {}, "What can be read off the code"), probes.node], `Share of test digits recognised from the code alone, mean of ${data.seeds} training runs; the probes saw ${LN.number(data.probe_train, 0)} labelled codes.`, "In the paper: linear and 5-NN probes, figure 4."),
        LN.figure([el("h3", {}, "The score it climbs"), bits.node], "Bits an observer learns about the code from the image.", "In the paper: S^φ, figure 4."))),
      ...controls());
    tell();
    LN.onwidth(canvas, draw);
  }
  LN.panels.push({ name: "encoder", title: "An encoder without labels", short: "Encoder", command: "novelty run encoder", data: ["encoder"], also: ["encoder-controls"],
    lead: "A network is trained to make codes of images that are as learnable as possible. Nobody tells it what a digit is. Do digits appear all the same, and is the code better than raw pixels?", build, theme: () => draw() });
})();
