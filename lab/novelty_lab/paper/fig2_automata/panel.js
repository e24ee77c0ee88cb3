"use strict";
/* Elementary automata: any of the 256 rules, live, beside the ranking of the 88. */
(() => {
  const { el } = LN;
  const CLASSES = {
    1: ["grey", "I constant"],
    2: ["sky", "II periodic"],
    3: ["orange", "III chaotic"],
    4: ["red", "IV complex"],
  };

  /* Next state of a ring: neighbourhood 4 left + 2 centre + right picks a bit of the rule number. */
  function next(rule, cells) {
    const n = cells.length;
    const fresh = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      fresh[i] = (rule >> (4 * cells[(i + n - 1) % n] + 2 * cells[i] + cells[(i + 1) % n])) & 1;
    }
    return fresh;
  }
  /* The smallest number among the rule, its mirror image, its colour swap, and both. */
  function representative(rule) {
    const bit = (r, i) => (r >> i) & 1;
    const make = (f) => {
      let r = 0;
      for (let i = 0; i < 8; i++) r |= f(i) << i;
      return r;
    };
    const mirror = (r) => make((i) => bit(r, 4 * (i & 1) + (i & 2) + (i >> 2)));
    const swap = (r) => make((i) => 1 - bit(r, 7 - i));
    return Math.min(rule, mirror(rule), swap(rule), mirror(swap(rule)));
  }

  const view = {
    rule: 110,
    width: 200,
    height: 130,
    rows: /** @type {Uint8Array[]} */ ([]),
    running: !LN.still,
    frame: 0,
    start: "random",
  };
  let canvas;
  let context;
  let stats;
  let ranking;
  let pick;
  let wrong;
  let pause;
  let table;

  function begin(cells) {
    const row = new Uint8Array(view.width);
    if (cells) row.set(cells);
    else if (view.start === "single") row[view.width >> 1] = 1;
    else for (let i = 0; i < view.width; i++) row[i] = Math.random() < 0.5 ? 1 : 0;
    view.rows = [row];
    // A single cell is watched as it grows; a random row tells more as a whole picture.
    const whole = LN.still || view.start === "random";
    if (whole && !cells) while (view.rows.length < view.height) step();
    draw();
  }
  function step() {
    view.rows.push(next(view.rule, view.rows[view.rows.length - 1]));
    if (view.rows.length > view.height) view.rows.shift();
  }
  function draw() {
    if (!context) return;
    const image = context.createImageData(view.width, view.height);
    const on = LN.rgb("ink");
    const off = LN.rgb("card");
    for (let y = 0; y < view.height; y++) {
      const row = view.rows[y];
      for (let x = 0; x < view.width; x++) {
        const colour = row?.[x] ? on : off;
        const at = 4 * (y * view.width + x);
        image.data[at] = colour[0];
        image.data[at + 1] = colour[1];
        image.data[at + 2] = colour[2];
        image.data[at + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }
  function tick() {
    if (view.running) {
      const lines = view.rows.length < view.height ? 2 : 1;
      for (let k = 0; k < lines; k++) step();
      draw();
    }
    view.frame = requestAnimationFrame(tick);
  }

  const samples = () => LN.rows(table.samples);
  const spread = (bits, sd) => `${LN.number(bits, 1)} ± ${LN.number(sd, 1)}`;
  function tell() {
    const like = representative(view.rule);
    const found = table.rules.find((entry) => entry.rule === like);
    pick.value = view.rule;
    ranking.mark(like);
    const same = like === view.rule ? "" : ` (mirror image or colour swap of ${like})`;
    stats.replaceChildren(
      LN.stats([
        [`rule${same}`, view.rule],
        ["denoised bits", spread(found.denoised, found.denoised_sd), samples()],
        ["rank by denoised bits", found.rank_by_denoised, `of ${table.rules.length}`],
        ["directions", LN.number(found.directions, 0)],
        ["raw bits", spread(found.bits, found.sd), samples()],
        ["rank by raw bits", found.rank, `of ${table.rules.length}`],
        ["Wolfram class", CLASSES[found.wolfram_class][1]],
      ]),
    );
  }
  /* A number that is no rule leaves the rule as it is, and the box says what it takes. */
  const isRule = (text) => /^\d+$/.test(text) && +text <= 255;
  function typed() {
    const is = isRule(pick.value);
    if (is) choose(+pick.value);
    else pick.value = view.rule;
    wrong.hidden = is;
  }
  function choose(rule, { keep = false, sliding = false } = {}) {
    wrong.hidden = true;
    view.rule = (rule + 256) % 256;
    tell();
    if (!keep) begin();
    LN.changed(sliding);
  }
  function setRunning(running) {
    view.running = running;
    pause.textContent = running ? "Pause" : "Run";
  }

  function build(root) {
    table = LN.data.automata;
    pick = el("input", { type: "number", min: 0, max: 255, value: view.rule, onchange: typed });
    wrong = el(
      "small",
      { role: "alert", hidden: true, style: { color: "var(--bad)" } },
      "0 to 255, a whole number",
    );
    pause = el(
      "button",
      { type: "button", class: "primary", onclick: () => setRunning(!view.running) },
      view.running ? "Pause" : "Run",
    );
    const one = el(
      "button",
      {
        type: "button",
        onclick: () => {
          setRunning(false);
          step();
          draw();
        },
      },
      "Step",
    );
    const restart = (start) => {
      view.start = start;
      begin();
    };
    canvas = el("canvas", {
      class: "pixels",
      role: "img",
      "aria-label": "Space-time diagram: cells across, time downward",
    });
    stats = el("div");
    const bars = table.rules.map((r) => ({
      key: r.rule,
      name: String(r.rule),
      value: r.denoised,
      sd: r.denoised_sd,
      dash: r.bits,
      colour: CLASSES[r.wolfram_class][0],
      text: `rule ${r.rule}, rank ${r.rank_by_denoised}\n${spread(r.denoised, r.denoised_sd)} denoised bits, ${samples()}\n${spread(r.bits, r.sd)} raw bits\nclass ${CLASSES[r.wolfram_class][1]}`,
    }));
    ranking = LN.charts.bars({
      bars,
      label: "Ranking of the 88 rules; left and right arrows choose",
      y: "denoised bits",
      x: "the 88 rules by rank: click, or arrow keys",
      choose: (rule) => choose(rule, { sliding: true }),
      chosen: view.rule,
    });
    root.append(
      el(
        "div",
        { class: "controls" },
        el("label", {}, "Rule, 0 to 255", pick, wrong),
        pause,
        one,
        el("button", { type: "button", onclick: () => restart("random") }, "Random start"),
        el("button", { type: "button", onclick: () => restart("single") }, "Single cell"),
        el(
          "button",
          { type: "button", onclick: () => choose(view.rule - 1), "aria-label": "Previous rule" },
          "←",
        ),
        el(
          "button",
          { type: "button", onclick: () => choose(view.rule + 1), "aria-label": "Next rule" },
          "→",
        ),
      ),
      stats,
      LN.figure(
        canvas,
        "Each row is the state at one moment; time runs downward. The next state of a cell depends on itself and its two neighbours; the rule number says how.",
        "In the paper: elementary cellular automata on a ring, section 4.1.",
      ),
      LN.figure(
        [
          el(
            "ul",
            { class: "legend" },
            Object.values(CLASSES).map(([colour, name]) =>
              el("li", {}, LN.swatch(colour), `class ${name}`),
            ),
            el("li", {}, LN.swatch("ink", "line"), "raw bits"),
          ),
          ranking.node,
        ],
        `Bars: denoised bits that an observer learns about the future of each rule (mean of ${table.draws} observers, ${samples()} starts each; thin line: standard deviation). The dash is the raw bits: far above the bar where most of the score is noise. Rules that are mirror images or colour swaps of each other count once.`,
        "In the paper: S^φ, figure 2; denoised bits are ours. Classes after Wolfram.",
      ),
    );
    context = LN.pen(canvas);
    LN.onwidth(canvas, (width) => {
      view.width = Math.max(64, Math.min(400, Math.round(width / 4)));
      view.height = Math.round(view.width * (innerWidth < 700 ? 0.8 : 0.36));
      canvas.width = view.width;
      canvas.height = view.height;
      begin();
    });
    choose(view.rule);
  }

  function finding() {
    const [first, second] = LN.data.automata.rules;
    const none = LN.data.automata.rules.filter((r) => r.bits < 0.05).length;
    const known = first.rule === 110 ? ", which can compute anything that a computer can," : "";
    return `Rule ${first.rule}${known} ranks first with ${LN.number(first.denoised, 1)} denoised bits at ${LN.rows(LN.data.automata.samples)} (${LN.number(first.bits, 1)} raw), before rule ${second.rule} with ${LN.number(second.denoised, 1)} (${LN.number(second.bits, 1)} raw); ${none} of the ${LN.data.automata.rules.length} score 0 bits.`;
  }
  LN.automata = {
    representative,
    rows: () => view.rows.map((row) => Array.from(row)),
    /* For tests: stop, take a rule and a first line, and make so many lines after it. */
    play: (rule, cells, steps) => {
      setRunning(false);
      view.width = cells.length;
      view.height = steps + 1;
      canvas.width = view.width;
      canvas.height = view.height;
      choose(rule, { keep: true });
      begin(cells);
      for (let k = 0; k < steps; k++) step();
      draw();
    },
    pixels: () =>
      Array.from(
        context.getImageData(0, 0, view.width, view.height).data.filter((_, i) => i % 4 === 0),
      ),
  };
  LN.panels.push({
    name: "automata",
    title: "Automata",
    command: "novelty run eca",
    data: ["automata"],
    lead: "The simplest dynamical systems: a row of black and white cells, and one of 256 rules. How much can an observer learn from watching each rule?",
    finding,
    terms: ["denoised", "raw", "directions", "n"],
    build,
    alias: "eca",
    at: () => String(view.rule),
    goTo: (text) => {
      if (text && !isRule(text)) return false;
      choose(text ? +text : 110);
    },
    theme: draw,
    show: () => {
      cancelAnimationFrame(view.frame);
      tick();
    },
    hide: () => cancelAnimationFrame(view.frame),
  });
})();
