"use strict";
/* A neural automaton that is trained while you watch: a worker trains, the page runs its newest rule. */
(() => {
  const { el } = LN;
  const [SITES, LINES] = [128, 96];

  /* What is trained, and on what. */
  const described = ({ sites, rings, hidden, window }, rows, card) =>
    `On your ${card ? "graphics card (WebGPU)" : "processor"}: ${rings} rings of ${sites} sites, a network of ${hidden} units, the next ${window} steps as targets, gradient ascent on the raw bits of ${LN.rows(rows)} rows, with a new observer at every step.`;

  LN.training.live = (colours) => {
    const own = LN.training.makeTrainer();
    const view = {
      seed: 1,
      running: false,
      frame: 0,
      bits: /** @type {number[]} */ ([]),
      chance: /** @type {number[]} */ ([]),
      card: false,
      // For tests: other sizes, and whether a simulated graphics card will do.
      asked: /** @type {{ shape?: Partial<TrainingShape>, software?: boolean }} */ ({}),
      rule: /** @type {NeuralRule | null} */ (null),
      drawn: 0,
    };
    /** @type {Worker | null} */
    let worker = null;
    const ring = new LN.neural.Ring(SITES);
    const canvas = el("canvas", {
      class: "pixels",
      width: SITES,
      height: LINES,
      role: "img",
      "aria-label":
        "Space-time diagram of the automaton that is being trained, newest line at the bottom",
    });
    const context = LN.pen(canvas);
    const image = context.createImageData(SITES, LINES);
    const pixels = new Uint32Array(image.data.buffer);
    const told = el("p", { class: "where", role: "status" }, "Not started: an untrained rule.");
    const what = el("span", {}, described(own.sizes, own.ROWS, false));
    const curve = LN.charts.lines({
      label: "Score of the automaton that is being trained",
      empty: "The score is drawn here while you train.",
      series: [],
      height: 220,
      x: { label: "training step" },
      y: { label: "raw bits" },
    });
    const button = el("button", { type: "button", class: "primary", onclick: () => toggle() });
    /* One line of the rule on a ring of its own, from random sites every third picture. */
    function addLine(rule) {
      if (view.drawn++ % (3 * LINES) === 0) ring.randomize();
      ring.step(rule, true);
      pixels.copyWithin(0, SITES);
      for (let i = 0, z = pixels.length - SITES; i < SITES; i++, z++) {
        const angle = Math.atan2(ring.state[2 * i + 1], ring.state[2 * i]);
        pixels[z] = colours[Math.round((angle / (2 * Math.PI)) * 256) & 255];
      }
    }
    function tick() {
      view.frame = requestAnimationFrame(tick);
      if (!view.running || !view.rule) return;
      addLine(view.rule);
      context.putImageData(image, 0, 0);
    }
    /* Before the first start: what random weights do. */
    function drawUntrained() {
      const rule = own.ruleOf(own.start(own.generator(view.seed)));
      for (let k = 0; k < LINES; k++) addLine(rule);
      context.putImageData(image, 0, 0);
    }
    function take({ step, bits, chance, rule, rows, sizes, card }) {
      if (!view.running) return;
      // The first step of another trainer: the card gave up.
      if (step === 1) Object.assign(view, { bits: [], chance: [], card });
      if (step === 1) what.textContent = described(sizes, rows, card);
      view.rule = rule;
      view.bits.push(bits);
      view.chance.push(chance);
      told.textContent = `Step ${step}: ${LN.number(bits, 1)} raw bits, ${LN.rows(rows)}; by chance ${LN.number(chance, 1)}.`;
      const points = (values) => values.map((v, k) => [k + 1, v]);
      if (step % 2 && step > 10) return;
      curve.update({
        series: [
          { name: "raw bits", colour: "blue", points: points(view.bits) },
          {
            name: "targets moved at random",
            colour: "grey",
            dash: true,
            points: points(view.chance),
          },
        ],
      });
    }
    function setRunning(running) {
      view.running = running;
      button.textContent = running ? "Stop" : "Train one now";
    }
    function stop() {
      worker?.terminate();
      worker = null;
      setRunning(false);
    }
    function toggle() {
      if (view.running) {
        stop();
        return;
      }
      Object.assign(view, { bits: [], chance: [], rule: null, drawn: 0 });
      pixels.fill(0);
      worker = LN.training.startWorker();
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = () => {
        stop();
        told.textContent = "This browser did not start the training.";
      };
      setRunning(true);
      told.textContent = "Starting.";
      worker.postMessage({ seed: view.seed++, ...view.asked });
    }
    setRunning(false);
    drawUntrained();
    const node = LN.figure(
      [
        el("h3", {}, "Train one yourself"),
        el("div", { class: "controls" }, button),
        told,
        el("div", { class: "split even" }, canvas, curve.node),
      ],
      [
        "A smaller rule than those above, trained here from random weights: on your graphics card where the browser offers it (WebGPU), otherwise a still smaller one on your processor. ",
        what,
        " Dashed: the score of targets that are moved to other rows, which is what chance gives. Every start takes other weights.",
      ],
      "In the paper: the inverse problem, section 4.1, at a larger size and with batch normalization.",
    );
    return {
      node,
      state: () => view,
      toggle,
      show: () => {
        cancelAnimationFrame(view.frame);
        view.frame = requestAnimationFrame(tick);
      },
      hide: () => {
        cancelAnimationFrame(view.frame);
        stop();
      },
    };
  };
})();
