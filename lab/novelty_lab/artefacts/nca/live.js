"use strict";
/* A neural automaton that is trained while you watch: a worker trains, the page runs its newest rule. */
(() => {
  const { el } = LN;
  const [SITES, LINES] = [128, 96];

  /* A worker of the trainer, from its text: a page that was opened as a file may not load scripts into one. */
  function startWorker() {
    const text = `(${LN.training.makeTrainer})(self)`;
    return new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  }

  LN.training.live = (colours) => {
    const { ROWS } = LN.training.makeTrainer(null);
    const view = {
      seed: 1,
      running: false,
      frame: 0,
      bits: /** @type {number[]} */ ([]),
      chance: /** @type {number[]} */ ([]),
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
    const told = el("p", { class: "where", role: "status" }, "Not started.");
    const curve = LN.charts.lines({
      label: "Score of the automaton that is being trained",
      series: [],
      height: 220,
      x: { label: "training step" },
      y: { label: "raw bits" },
    });
    const button = el("button", { type: "button", class: "primary", onclick: () => toggle() });
    /* The newest rule on a ring of its own, from random sites every picture. */
    function tick() {
      view.frame = requestAnimationFrame(tick);
      if (!view.running || !view.rule) return;
      if (view.drawn++ % (3 * LINES) === 0) ring.randomize();
      ring.step(view.rule, true);
      pixels.copyWithin(0, SITES);
      for (let i = 0, z = pixels.length - SITES; i < SITES; i++, z++) {
        const angle = Math.atan2(ring.state[2 * i + 1], ring.state[2 * i]);
        pixels[z] = colours[Math.round((angle / (2 * Math.PI)) * 256) & 255];
      }
      context.putImageData(image, 0, 0);
    }
    function take({ step, bits, chance, rule }) {
      if (!view.running) return;
      view.rule = rule;
      view.bits.push(bits);
      view.chance.push(chance);
      told.textContent = `Step ${step}: ${LN.number(bits, 1)} raw bits, ${LN.rows(ROWS)}; by chance ${LN.number(chance, 1)}.`;
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
      worker = startWorker();
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = () => {
        stop();
        told.textContent = "This browser did not start the training.";
      };
      setRunning(true);
      told.textContent = "Starting.";
      worker.postMessage({ seed: view.seed++ });
    }
    setRunning(false);
    const node = LN.figure(
      [
        el("h3", {}, "Train one yourself"),
        el("div", { class: "controls" }, button),
        told,
        el("div", { class: "split even" }, canvas, curve.node),
      ],
      `A smaller rule than those above, trained here from random weights on your processor: 16 rings of 32 sites, a network of 32 units, the next four steps as targets, gradient ascent on the raw bits of ${LN.rows(ROWS)} rows, with a new observer at every step. Dashed: the score of targets that are moved to other rows, which is what chance gives. Every start takes other weights.`,
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
