"use strict";
/* Flows: stored trajectories, turning, beside their denoised and raw bits, floor and excess. */
(() => {
  const { el } = LN;
  const COLOURS = ["blue", "orange", "green", "red", "purple", "sky", "black", "grey"];
  const shownName = (name) => name.replace("Rossler", "Rössler");
  const ABOUT = {
    Lorenz:
      "Air heated from below, reduced to three variables. It circles one wing, then the other; which one cannot be predicted for long.",
    Rossler: "A spiral that is stretched upward and folded back.",
    Thomas: "A slow wander through a lattice of loops.",
    rotation: "Circles that never change.",
    "damped spiral": "An oscillation that dies out.",
    "stable node": "All paths end in the centre.",
  };
  const portraits = [];
  let frame = 0;
  let angle = 0.6;
  let running = !LN.still;
  let last = 0;
  let turn = 0;

  class Portrait {
    constructor(name, flow) {
      const [points, states, dim] = flow.path.shape;
      this.name = name;
      this.canvas = el("canvas", {
        class: dim === 3 ? "turn" : null,
        role: "img",
        "aria-label": `Trajectories of ${shownName(name)}${dim === 3 ? "; left and right arrows turn it" : ""}`,
        tabindex: dim === 3 ? 0 : null,
        style: { aspectRatio: "1" },
      });
      this.points = points;
      this.states = states;
      this.dim = dim;
      this.path = LN.unpack(flow.path);
      /** @type {number[]} */
      this.middle = [];
      this.reach = 0;
      for (let c = 0; c < dim; c++) {
        let low = Infinity;
        let high = -Infinity;
        for (let i = c; i < this.path.length; i += dim) {
          low = Math.min(low, this.path[i]);
          high = Math.max(high, this.path[i]);
        }
        this.middle.push((low + high) / 2);
        this.reach = Math.max(this.reach, (high - low) / 2);
      }
      if (dim !== 3) return;
      this.canvas.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (way) {
          event.preventDefault();
          angle += 0.1 * way;
          drawAll();
        }
      });
      this.canvas.addEventListener("pointermove", (event) => {
        if (event.buttons) {
          angle += event.movementX / 120;
          drawAll();
        }
      });
    }
    draw() {
      const size = Math.round(this.canvas.clientWidth * Math.min(2, devicePixelRatio));
      if (!size) return;
      if (this.canvas.width !== size) this.canvas.width = this.canvas.height = size;
      const context = LN.pen(this.canvas);
      const { path, points, states, dim, middle } = this;
      const zoom = size / 2.15 / this.reach / (dim === 3 ? 1.25 : 1);
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      context.clearRect(0, 0, size, size);
      context.lineWidth = size / 400;
      /** @returns {[number, number]} */
      const place = (k, s) => {
        const at = (k * states + s) * dim;
        const x = path[at] - middle[0];
        const y = path[at + 1] - middle[1];
        if (dim === 2) return [size / 2 + zoom * x, size / 2 - zoom * y];
        const z = path[at + 2] - middle[2];
        return [
          size / 2 + zoom * (cos * x + sin * y),
          size / 2 - zoom * (0.94 * z + 0.34 * (cos * y - sin * x)),
        ];
      };
      const now = Math.floor(turn * 60) % points;
      for (let s = 0; s < states; s++) {
        context.strokeStyle = context.fillStyle = LN.css(COLOURS[s % COLOURS.length]);
        context.globalAlpha = 0.75;
        context.beginPath();
        for (let k = 0; k < points; k++) context.lineTo(...place(k, s));
        context.stroke();
        context.globalAlpha = 1;
        context.beginPath();
        context.arc(...place(now, s), size / 90, 0, 7);
        context.fill();
      }
    }
  }
  const drawAll = () => {
    for (const portrait of portraits) portrait.draw();
  };
  function tick(now) {
    if (running && now - last > 30) {
      const passed = Math.min(0.1, (now - last) / 1000);
      angle += 0.35 * passed;
      turn += passed;
      last = now;
      drawAll();
    }
    frame = requestAnimationFrame(tick);
  }
  /* The name of a flow in addresses. */
  const slug = (name) => name.toLowerCase().replace(/ /g, "-");
  let chosen = "";
  let chart;
  function mark(name) {
    chosen = name;
    for (const portrait of portraits)
      portrait.canvas.closest("figure")?.classList.toggle("chosen", portrait.name === name);
    chart.mark(name);
  }
  const card = (name) => portraits.find((portrait) => portrait.name === name)?.canvas;
  function choose(name) {
    mark(name);
    LN.changed(true);
  }
  function goTo(text) {
    const name = Object.keys(LN.data.flows.flows).find((known) => slug(known) === slug(text));
    if (text && !name) return false;
    mark(name || "");
    if (name) card(name)?.scrollIntoView({ block: "center" });
  }
  const bits = (value) => LN.number(value, 1);
  function build(root) {
    const { flows, samples, draws } = LN.data.flows;
    const n = LN.rows(samples);
    const published = (flow) => [flow.paper].flat().join(" to ");
    const button = el(
      "button",
      {
        type: "button",
        class: "primary",
        onclick: () => {
          running = !running;
          button.textContent = running ? "Pause" : "Turn";
        },
      },
      running ? "Pause" : "Turn",
    );
    chart = LN.charts.bars({
      bars: Object.entries(flows).map(([name, flow]) => ({
        key: name,
        name: shownName(name).split(" ").pop() || "",
        value: flow.denoised,
        dash: flow.bits,
        colour: flow.chaotic ? "red" : "grey",
        text: `${shownName(name)}\n${bits(flow.denoised)} denoised bits, ${n}\n${bits(flow.bits)} ± ${bits(flow.sd)} raw bits\nfloor ${bits(flow.floor)}, excess ${bits(flow.excess)}\npaper ${published(flow)} raw bits`,
      })),
      names: true,
      y: "bits",
      x: "system: click, or arrow keys",
      label: "Bits of the six flows; left and right arrows choose",
      chosen,
      choose: (name) => choose(String(name)),
    });
    root.append(
      el("div", { class: "controls" }, button),
      el(
        "div",
        { class: "cards" },
        Object.entries(flows).map(([name, flow]) => {
          const portrait = new Portrait(name, flow);
          portraits.push(portrait);
          return LN.figure(
            [
              el("h3", {}, shownName(name)),
              LN.stats([
                ["denoised bits", bits(flow.denoised), n],
                ["raw bits", bits(flow.bits), `± ${bits(flow.sd)}`],
                ["floor", bits(flow.floor)],
                ["excess", bits(flow.excess)],
              ]),
              portrait.canvas,
            ],
            `${ABOUT[name] || ""} ${portrait.states} paths from different starts, with dots moving along them.`,
            `In the paper: S^φ = ${published(flow)} raw bits, appendix F.`,
          );
        }),
      ),
      LN.figure(
        [
          el(
            "ul",
            { class: "legend" },
            el("li", {}, LN.swatch("red"), "denoised bits of a chaotic flow"),
            el("li", {}, LN.swatch("grey"), "of a linear one"),
            el("li", {}, LN.swatch("ink", "line"), "raw bits"),
          ),
          chart.node,
        ],
        `What an observer learns about the next unit of time of each system: mean of ${draws} observers, ${n} states. ± is the standard deviation between observers.`,
        "In the paper: S^φ, appendix F; denoised bits, floor and excess are ours.",
      ),
    );
    for (const portrait of portraits) LN.onwidth(portrait.canvas, () => portrait.draw());
  }
  function finding() {
    const { flows, samples } = LN.data.flows;
    const of = (chaotic, name) =>
      LN.range(
        Object.values(flows)
          .filter((flow) => flow.chaotic === chaotic)
          .map((flow) => flow[name]),
        1,
      );
    return `The chaotic flows have ${of(true, "denoised")} denoised bits at ${LN.rows(samples)} (${of(true, "bits")} raw), the linear ones ${of(false, "denoised")} (${of(false, "bits")} raw).`;
  }
  LN.panels.push({
    name: "flows",
    title: "Flows",
    command: "novelty run flows",
    data: ["flows"],
    lead: "Systems in continuous time: well-known chaotic flows beside linear ones. Is there more to learn in the chaotic ones? Drag a portrait, or use the arrow keys, to turn it.",
    finding,
    terms: ["denoised", "raw", "floor", "excess", "n"],
    build,
    at: () => slug(chosen),
    goTo,
    theme: drawAll,
    show: () => {
      cancelAnimationFrame(frame);
      last = performance.now();
      drawAll();
      frame = requestAnimationFrame(tick);
    },
    hide: () => cancelAnimationFrame(frame),
  });
})();
