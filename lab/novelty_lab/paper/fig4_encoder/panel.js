"use strict";
/* The encoder: a map of images at six checkpoints, what probes recover, and the controls. */
(() => {
  const { el } = LN;
  const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const EDGE = 0.03;
  const INNER = 1 - 2 * EDGE;
  const view = {
    at: 0,
    from: /** @type {number | null} */ (null),
    t: 1,
    only: /** @type {number | null} */ (null),
    timer: 0,
    told: -1,
  };
  let data;
  let points;
  let labels;
  let canvas;
  let told;
  let slider;
  /** @type {HTMLImageElement | null} */
  let sheet = null;

  function place(i, checkpoint) {
    const n = data.points.shape[1];
    const at = 2 * (checkpoint * n + i);
    return [points[at], points[at + 1]];
  }
  const where = (i) => {
    const [x, y] = place(i, view.at);
    if (view.from === null) return [x, y];
    const [a, b] = place(i, view.from);
    return [a + (x - a) * view.t, b + (y - b) * view.t];
  };
  /* Every image is drawn as its digit: colour helps, but nothing hangs on it. */
  function draw() {
    const ratio = Math.min(2, devicePixelRatio);
    const size = Math.round(canvas.clientWidth * ratio);
    if (!size) return;
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const context = LN.pen(canvas);
    const colours = DIGITS.map((digit) => LN.css(`digit-${digit}`));
    context.clearRect(0, 0, size, size);
    context.font = `600 ${Math.max(8 * ratio, size / 64)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = 0; i < labels.length; i++) {
      const [x, y] = where(i);
      context.globalAlpha = view.only === null || view.only === labels[i] ? 0.9 : 0.1;
      context.fillStyle = colours[labels[i]];
      context.fillText(labels[i], size * (EDGE + INNER * x), size * (1 - EDGE - INNER * y));
    }
    context.globalAlpha = 1;
    if (view.told < 0) return;
    const [x, y] = where(view.told);
    context.strokeStyle = LN.css("ink");
    context.lineWidth = 2 * ratio;
    context.beginPath();
    context.arc(size * (EDGE + INNER * x), size * (1 - EDGE - INNER * y), size / 50, 0, 7);
    context.stroke();
  }
  function go(to) {
    cancelAnimationFrame(view.timer);
    view.from = view.at;
    view.at = to;
    view.t = 0;
    slider.value = to;
    tell();
    if (LN.still) {
      view.from = null;
      draw();
      return;
    }
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
    told.textContent = `training step ${data.steps[k]}: ${LN.number(data.bits.mean[k], 1)} raw bits, linear probe ${LN.number(100 * data.linear.mean[k], 1)} %, nearest neighbours ${LN.number(100 * data.neighbours.mean[k], 1)} %`;
  }
  /* The image behind a dot, four times as large. */
  function picture(i) {
    if (!sheet) return null;
    const images = LN.data["encoder-images"];
    const shown = el("canvas", {
      class: "pixels thumbnail",
      width: images.width,
      height: images.height,
    });
    LN.sprite(shown, sheet, images, i);
    return shown;
  }
  function name(i, event) {
    const changed = i !== view.told;
    view.told = i;
    if (i < 0) LN.untip();
    else LN.tip(event, `an image of the digit ${labels[i]}`, picture(i));
    if (changed) draw();
  }
  const visible = (i) => view.only === null || labels[i] === view.only;
  function point(event) {
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width - EDGE) / INNER;
    const y = 1 - ((event.clientY - box.top) / box.height - EDGE) / INNER;
    let best = -1;
    let least = (14 / box.width) ** 2;
    for (let i = 0; i < labels.length; i++) {
      const [a, b] = place(i, view.at);
      const d = (a - x) ** 2 + (b - y) ** 2;
      if (d < least && visible(i)) {
        least = d;
        best = i;
      }
    }
    name(best, event);
  }
  /* Arrow keys go to the nearest image that way. */
  function walk(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    if (!way) return;
    event.preventDefault();
    const [x, y] = view.told < 0 ? [0.5, 0.5] : place(view.told, view.at);
    let best = view.told;
    let least = Infinity;
    for (let i = 0; i < labels.length; i++) {
      const [a, b] = place(i, view.at);
      const along = (a - x) * way[0] + (b - y) * way[1];
      const d = Math.hypot(a - x, b - y);
      if (i !== view.told && visible(i) && along > 0.7 * d && d < least) {
        least = d;
        best = i;
      }
    }
    const box = canvas.getBoundingClientRect();
    const [a, b] = best < 0 ? [0.5, 0.5] : place(best, view.at);
    name(best, {
      clientX: box.left + box.width * (EDGE + INNER * a),
      clientY: box.top + box.height * (1 - EDGE - INNER * b),
    });
  }

  function build(root) {
    data = LN.data.encoder;
    points = LN.unpack(data.points);
    labels = LN.unpack(data.labels);
    view.at = data.steps.length - 1;
    slider = el("input", {
      type: "range",
      min: 0,
      max: data.steps.length - 1,
      "aria-label": "Checkpoint of the training",
      oninput: () => {
        go(+slider.value);
        LN.changed(true);
      },
    });
    slider.value = view.at;
    told = el("span");
    canvas = el("canvas", {
      class: "map",
      tabindex: 0,
      role: "img",
      "aria-label": "Map of the images' codes; arrow keys go from image to image",
      style: { aspectRatio: "1" },
      onpointermove: point,
      onpointerdown: point,
      onpointerleave: () => name(-1),
      onblur: () => name(-1),
      onkeydown: walk,
    });
    const images = LN.data["encoder-images"];
    if (images) {
      const image = new Image();
      image.onload = () => {
        sheet = image;
      };
      image.src = images.sheet;
    }
    const digits = el(
      "div",
      { class: "controls digits", role: "group", "aria-label": "Show one digit only" },
      DIGITS.map((digit) => {
        const button = el(
          "button",
          {
            type: "button",
            "aria-pressed": "false",
            "aria-label": `Show digit ${digit} only`,
            style: { borderBottom: `4px solid var(--digit-${digit})` },
            onclick: () => {
              view.only = view.only === digit ? null : digit;
              for (const [k, other] of [...digits.children].entries())
                other.setAttribute("aria-pressed", String(k === view.only));
              draw();
            },
          },
          String(digit),
        );
        return button;
      }),
    );
    const band = (name, unit) =>
      data.steps.map((s, k) => [
        s,
        unit * (data[name].mean[k] - data[name].sd[k]),
        unit * (data[name].mean[k] + data[name].sd[k]),
      ]);
    /** @returns {Series} */
    const curve = (name, label, colour, unit = 100) => ({
      name: label,
      colour,
      dots: "joined",
      points: data.steps.map((s, k) => [s, unit * data[name].mean[k]]),
      band: band(name, unit),
      around: "± sd",
    });
    const level = (value, label, colour) => ({
      name: label,
      colour,
      dash: true,
      width: 1.3,
      points: [
        [data.steps[0], 100 * value],
        [data.steps[data.steps.length - 1], 100 * value],
      ],
    });
    const probes = LN.charts.lines({
      label: "Probe accuracy",
      height: 300,
      x: { label: "training step" },
      y: { label: "accuracy, %", domain: [0, 100] },
      series: [
        curve("linear", "linear probe", "blue"),
        curve("neighbours", "5 nearest neighbours", "orange"),
        curve("clusters", "clusters", "green"),
        level(data.controls.pixels.linear, "raw pixels, linear", "sky"),
        level(data.chance, "largest class", "grey"),
      ],
    });
    const bits = LN.charts.lines({
      label: "Score",
      height: 230,
      x: { label: "training step" },
      y: { label: "bits" },
      series: [curve("bits", "raw bits", "blue", 1)],
    });
    root.append(
      el(
        "div",
        { class: "split" },
        LN.figure(
          [el("div", { class: "controls" }, el("label", {}, told, slider)), digits, canvas],
          `Each of the ${LN.number(labels.length, 0)} marks is a test image, drawn as its true digit. The encoder was not trained on these images, and never saw a label. Marks are close where codes are similar. Point at a mark to see its image. The slider goes from the untrained to the trained encoder.`,
          `In the paper: t-SNE of the code Z, here of ${LN.count(data.code_dim, "dimension")}, figure 4.`,
        ),
        el(
          "div",
          {},
          LN.figure(
            [el("h3", {}, "What probes read from the code"), probes.node],
            `Share of test digits recognised from the code alone, mean of ${data.seeds} training runs; shaded: ± standard deviation. The probes were trained on ${LN.number(data.probe_train, 0)} labelled codes.`,
            "In the paper: linear and 5-NN probes, figure 4.",
          ),
          LN.figure(
            [el("h3", {}, "The training objective"), bits.node],
            "What an observer learns about the code from the image, on test images: what the training raises. Shaded: ± standard deviation.",
            "In the paper: S^φ, the raw bits, figure 4.",
          ),
        ),
      ),
    );
    tell();
    LN.onwidth(canvas, draw);
  }
  function finding() {
    const d = LN.data.encoder;
    const share = (v) => LN.number(100 * v, 1);
    // The table below, if it is there: its probes are trained on all images.
    const codes = LN.data["encoder-controls"]?.table.mnist;
    if (codes?.paper && codes.pixels && codes.untrained) {
      const [paper, pixels, before] = ["paper", "pixels", "untrained"].map(
        (c) => codes[c].linear.mean,
      );
      const best = Object.keys(codes).reduce((a, b) =>
        codes[b].linear.mean > codes[a].linear.mean ? b : a,
      );
      return `With the paper's recipe a linear probe recognises ${share(paper)} % of the digits from the code, against ${share(before)} % before training: training helps, but the code is ${paper > pixels ? "better" : "not better"} than the raw pixels (${share(pixels)} %). The best code here, “${best}”, has ${share(codes[best].linear.mean)} %.`;
    }
    const last = d.steps.length - 1;
    return `After ${d.steps[last]} steps a linear probe, trained on ${LN.number(d.probe_train, 0)} codes, recognises ${share(d.linear.mean[last])} % of the digits, ${share(d.linear.mean[0])} % before training, and ${share(d.controls.pixels.linear)} % from the raw pixels.`;
  }
  /* For tests: the bytes of an image as the page shows it. */
  LN.encoder = {
    shows: () => sheet !== null,
    image: (i) => {
      const shown = picture(i);
      if (!shown) throw new Error("the images are not loaded");
      return Array.from(
        LN.pen(shown)
          .getImageData(0, 0, shown.width, shown.height)
          .data.filter((_, k) => k % 4 === 0),
      );
    },
  };
  LN.panels.push({
    name: "encoder",
    title: "An encoder without labels",
    short: "Encoder",
    command: "novelty run encoder",
    data: ["encoder"],
    also: ["encoder-images"],
    terms: ["raw", "n"],
    lead: "A network is trained to encode images into codes that are as learnable as possible, without labels. Do the codes separate the digits all the same, and are they better than raw pixels?",
    finding,
    build,
    at: () => String(data.steps[view.at]),
    goTo: (text) => {
      const to = text ? data.steps.indexOf(+text) : data.steps.length - 1;
      if (to < 0) return false;
      go(to);
    },
    theme: () => draw(),
  });
})();
