"use strict";
/* Flows: stored trajectories, turning; bits beside the paper's. */
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
  function build(root) {
    const flows = LN.data.flows.flows;
    const bars = Object.entries(flows).map(([name, flow]) => ({
      key: name,
      name: shownName(name).split(" ").pop(),
      value: flow.bits,
      sd: flow.sd,
      colour: flow.chaotic ? "red" : "grey",
      text: `${shownName(name)}\n${LN.number(flow.bits, 1)} ± ${LN.number(flow.sd, 1)} bits\npaper ${[flow.paper].flat().join(" to ")} bits`,
    }));
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
    const chart = LN.charts.bars({
      bars,
      names: true,
      y: "bits",
      x: "system",
      label: "Bits of the six flows",
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
            [el("h3", {}, `${shownName(name)}: ${LN.number(flow.bits, 1)} bits`), portrait.canvas],
            `${ABOUT[name] || ""} ${portrait.states} paths from different starts, with dots moving along them. Standard deviation between observers ${LN.number(flow.sd, 1)} bits.`,
            `In the paper: S^φ = ${[flow.paper].flat().join(" to ")} bits, appendix F.`,
          );
        }),
      ),
      LN.figure(
        [
          el(
            "ul",
            { class: "legend" },
            el("li", {}, LN.swatch("red"), "chaotic"),
            el("li", {}, LN.swatch("grey"), "linear"),
          ),
          chart.node,
        ],
        "Bits that an observer learns about the next unit of time of each system. Thin line: standard deviation between observers.",
        "In the paper: S^φ, appendix F.",
      ),
    );
    for (const portrait of portraits) LN.onwidth(portrait.canvas, () => portrait.draw());
  }
  function finding() {
    const bits = (chaotic) =>
      Object.values(LN.data.flows.flows)
        .filter((flow) => flow.chaotic === chaotic)
        .map((flow) => flow.bits);
    return `The ${bits(true).length} chaotic flows score ${LN.range(bits(true), 1)} bits, the ${bits(false).length} linear ones ${LN.range(bits(false), 1)}.`;
  }
  LN.panels.push({
    name: "flows",
    title: "Flows",
    command: "novelty run flows",
    data: ["flows"],
    lead: "Systems in continuous time: well-known chaotic flows beside linear ones. Is there more to learn in the chaotic ones? Drag a portrait, or use the arrow keys, to turn it.",
    finding,
    build,
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
