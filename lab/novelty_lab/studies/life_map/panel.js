"use strict";
/* Every life-like rule: the map of all of them beside one that runs, its numbers and its neighbours. */
(() => {
  const { el } = LN;
  const { life } = LN;
  const SIDE = 512;
  const { MEASURES, SCALES, values, inOrder, below, placed, told, nameOf, titled } = LN.lifeRecord;
  let data;
  let map;
  let world;
  let legend;
  let facts;
  let near;
  let things;
  let found;
  let view;

  const reach = ({ excess, halfWidth }) =>
    LN.number(excess, 1) + (Number.isFinite(halfWidth) ? ` ± ${LN.number(halfWidth, 1)}` : "");
  function tell(rule) {
    const index = life.indexOf(rule);
    const excess = told("excess", index);
    const more =
      view.measure === "excess"
        ? ""
        : `\n${MEASURES[view.measure].name}: ${told(view.measure, index)}`;
    return `${titled(rule)}\nexcess ${excess}, rank ${placed(rule)}${more}\nclick: run it`;
  }

  const tori = (samples, grid) =>
    `n\u00a0=\u00a0${samples} tori of ${grid}\u00a0×\u00a0${grid} cells`;
  function showNumbers(rule) {
    const index = life.indexOf(rule);
    const n = tori(data.samples, data.grid);
    const later = LN.lifeRecord.again(rule);
    const bits = (name) => LN.number(values(name)[index], 1);
    const width =
      later && Number.isFinite(later.halfWidth) ? `± ${LN.number(later.halfWidth, 1)} ` : "";
    const headline = [
      ["excess", bits("excess"), `bits, ${n}`],
      ["rank by excess", placed(rule), `of ${LN.number(data.rules, 0)}`],
      ["raw bits", bits("bits"), n],
      ["floor", bits("floor"), "bits"],
      ...(later
        ? [
            [
              `excess on ${data.again_grid} × ${data.again_grid} cells`,
              LN.number(later.excess, 1),
              `${width}bits, ${data.again_draws} draws`,
            ],
          ]
        : []),
    ];
    const rest = Object.keys(MEASURES).filter(
      (name) => !["excess", "bits", "floor"].includes(name),
    );
    const rows = rest.map((name) => ({ cells: [MEASURES[name].name, told(name, index)] }));
    const more = el(
      "details",
      { class: "fold measures", open: facts.querySelector(".measures")?.open },
      el("summary", {}, "All other measures of this rule"),
      LN.table(["measure", "value"], rows, (column) => column > 0),
    );
    facts.replaceChildren(LN.stats(headline), more);
  }
  function showKnown(rule) {
    const entry = LN.lifeRecord.named(rule);
    const lines = [];
    if (entry) {
      lines.push(
        `${[entry.name, ...entry.also].join(", also ")}. ${{ true: "Known to have gliders", false: "Has none", null: "Gliders: not known" }[entry.gliders]}${entry.source ? `: ${entry.source}.` : "."}`,
      );
      if (entry.universal) lines.push(`${entry.universal}.`);
    }
    things.replaceChildren(...lines.map((line) => el("p", {}, line)));
  }
  function showNear(rule) {
    const excess = values("excess");
    const of = (r) => excess[life.indexOf(r)];
    const rows = [
      { rule: life.complement(rule), change: "black and white exchanged" },
      ...life.neighbours(rule).sort((a, b) => of(b.rule) - of(a.rule)),
    ];
    near.replaceChildren(
      ...rows.map(({ rule: other, change }) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", "data-rule": life.write(other), onclick: () => choose(other) },
            el("small", {}, change),
            el("b", {}, life.write(other).replace("/", "/\u200b")),
            nameOf(other) ? el("span", {}, nameOf(other)) : null,
            el("small", {}, `${LN.number(of(other), 1)} bits, rank ${placed(other)}`),
          ),
        ),
      ),
    );
  }
  function choose(rule, go) {
    view.rule = rule;
    found.textContent = titled(rule);
    view.see.textContent = `${titled(rule)}, ${told("excess", life.indexOf(rule))}: see it run ↓`;
    if (go) map.goTo(rule);
    else map.choose(rule);
    world.run(rule);
    showLegend();
    showNumbers(rule);
    showKnown(rule);
    showNear(rule);
    LN.changed();
  }
  function showLegend() {
    const of = values(view.measure);
    const index = life.indexOf(view.rule);
    if (!of) return;
    const ranked = view.scale === "rank";
    const all = ranked && inOrder(view.measure);
    const last = SIDE * SIDE - 1;
    const [low, high] = SCALES[view.scale].ends(view.measure);
    const ends = ranked ? [all[0], all[last >> 1], all[last]] : [low, (low + high) / 2, high];
    const at = ranked ? below(all, of[index] - 1e-9) / last : (of[index] - low) / (high - low);
    legend.show(MEASURES[view.measure], ends, at, ranked ? "every colour for as many rules" : "");
  }
  function recolour() {
    const wanted = view.measure;
    if (!values(wanted)) {
      LN.need(`life-${wanted}`, () => {
        if (view.measure === wanted) recolour();
      });
      return;
    }
    map.paint(SCALES[view.scale].of(wanted), ...SCALES[view.scale].ends(wanted));
    showLegend();
  }
  /* What the rules in view have in common, by the leading bits of the first and the last column or row. */
  function common(letter, first, last) {
    const has = [];
    const lacks = [];
    let k = 0;
    for (; k < 9 && first >> (8 - k) === last >> (8 - k); k++)
      ((first >> (8 - k)) & 1 ? has : lacks).push(letter + k);
    const text = [
      has.length ? `with ${has.join(" ")}` : "",
      lacks.length ? `without ${lacks.join(" ")}` : "",
    ]
      .filter(Boolean)
      .join(", ");
    return k === 9 ? text : `${text ? `${text}; ` : ""}halves by ${letter}${k}`;
  }
  /* Two rows of an axis: the first count that tells the rules in view apart, and the next one. */
  function axis(letter, from, span) {
    const size = (level) => SIDE >> (level + 1);
    const of = (level) =>
      Math.floor((from + span - 1e-9) / size(level)) - Math.floor(from / size(level));
    let level = 0;
    while (level < 8 && of(level) === 0) level++;
    return [level, level + 1]
      .filter((k) => k < 9)
      .map((k) => {
        const parts = [];
        for (let i = Math.floor(from / size(k)); i * size(k) < from + span; i++) {
          const [low, high] = [
            Math.max(from, i * size(k)),
            Math.min(from + span, (i + 1) * size(k)),
          ];
          const share = `${(100 * (high - low)) / span}%`;
          parts.push(
            el(
              "span",
              { style: { flexBasis: share } },
              i & 1 ? `${letter}${k}` : `no ${letter}${k}`,
            ),
          );
        }
        return el("div", {}, parts);
      });
  }
  function moved({ x, y, span }) {
    const last = (from) => Math.min(SIDE - 1, Math.ceil(from + span) - 1);
    view.where.textContent = `Left to right: ${common("B", Math.floor(x), last(x))} (without it on the left). Top to bottom: ${common("S", Math.floor(y), last(y))} (without it above).`;
    view.across.replaceChildren(...axis("B", x, span));
    view.down.replaceChildren(...axis("S", y, span));
  }
  function search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return null;
    const by = (test) =>
      data.named.find((entry) =>
        [entry.name, ...entry.also].some((name) => test(name.toLowerCase())),
      );
    const entry = by((name) => name === wanted);
    const rule = entry ? life.ruleFrom(entry.rule) : life.parse(text);
    if (rule) return rule;
    const near = by((name) => name.startsWith(wanted)) || by((name) => name.includes(wanted));
    if (near) return life.ruleFrom(near.rule);
    // What is left of plain numbers are Wolfram's codes.
    return /^\d{1,6}$/.test(wanted) && +wanted < SIDE * SIDE ? life.ofCode(+wanted) : null;
  }

  function controls() {
    const box = el("input", {
      type: "text",
      list: "life-names",
      placeholder: "B3/S23 or a name",
      "aria-describedby": "life-said",
    });
    const said = el("span", { id: "life-said", role: "status" });
    const form = el(
      "form",
      {
        class: "controls plain",
        onsubmit: (event) => {
          event.preventDefault();
          const rule = search(box.value);
          said.textContent = rule
            ? ""
            : "No such rule: write it like B3/S23, give its code, or take a name from the list.";
          if (rule) choose(rule, true);
        },
      },
      el("label", {}, "Find a rule", box),
      el("button", { type: "submit" }, "Go"),
      el("button", { type: "button", "aria-label": "Zoom in", onclick: () => map.zoom(2) }, "+"),
      el("button", { type: "button", "aria-label": "Zoom out", onclick: () => map.zoom(0.5) }, "−"),
      el("button", { type: "button", onclick: () => map.whole() }, "All"),
      said,
      el(
        "datalist",
        { id: "life-names" },
        data.named.map((entry) => el("option", { value: entry.name }, entry.rule)),
      ),
    );
    const options = (all) => Object.entries(all).map(([key, { name }]) => [key, name]);
    return [
      form,
      el(
        "div",
        { class: "controls" },
        LN.select("Measure", options(MEASURES), view.measure, (name) => {
          view.measure = name;
          recolour();
        }),
        LN.select("Colours", options(SCALES), view.scale, (name) => {
          view.scale = name;
          recolour();
        }),
      ),
    ];
  }
  function build(root) {
    data = LN.data.life;
    if (!data.whole) {
      root.append(
        el(
          "p",
          { class: "note" },
          `The record here has ${LN.number(data.rules, 0)} rules; the map needs all ${LN.number(SIDE * SIDE, 0)}. To make it: `,
          el("code", {}, "novelty run life-map"),
          ".",
        ),
      );
      return;
    }
    view = {
      rule: life.ruleFrom("B3/S23"),
      measure: "excess",
      scale: "value",
      where: el("p", { class: "where" }),
      across: el("div", { class: "across", "aria-hidden": "true" }),
      down: el("div", { class: "down", "aria-hidden": "true" }),
      see: el("button", {
        type: "button",
        class: "see",
        onclick: () => found.scrollIntoView({ block: "start" }),
      }),
    };
    [facts, near, things, found] = [
      el("div"),
      el("ol", { class: "near" }),
      el("div", { class: "known" }),
      el("h3", { "aria-live": "polite" }),
    ];
    legend = LN.lifeMap.legend();
    world = LN.lifeWorld();
    map = LN.lifeMap({
      marks: data.named.map((entry) => ({ ...entry, rule: life.ruleFrom(entry.rule) })),
      tell,
      pick: (rule) => choose(rule),
      moved,
    });
    root.append(
      el(
        "div",
        { class: "split even" },
        LN.figure(
          [
            ...controls(),
            el("div", { class: "plane" }, view.across, view.down, map.node),
            view.see,
            view.where,
            legend.node,
          ],
          [
            "Every point is a rule: a cell is born, or lives on, by how many of its eight neighbours live. ",
            el("b", {}, "Click one to run it."),
            " B3: a cell is born beside three living ones; S3: it lives on beside three. Rings: rules with a name; a dot in the ring: known to have gliders. Buttons, pinch, or Ctrl and wheel zoom; dragging moves; with the keyboard, arrows and Enter.",
          ],
          `Ours: S^φ less its floor, a Conv2d reservoir, the mean of ${LN.count(data.draws, "draw")} on ${data.grid} × ${data.grid} tori; B across, S down.`,
        ),
        el(
          "div",
          {},
          LN.figure(
            [found, ...world.controls, world.calm, world.node],
            [
              "Paint with the pointer; time stops while you paint. Opposite edges are joined: what leaves on the right returns on the left. ",
              world.rate,
            ],
          ),
          things,
        ),
      ),
      el("h3", {}, "Its numbers"),
      facts,
      LN.figure(
        [el("h3", {}, "Its neighbours: rules that differ in one count"), near],
        "Rules with one more or one less neighbour count for birth or survival, highest excess first. Before them the black-white twin, which does the same with colours exchanged; its score differs only by chance.",
        "Ours. Ranks of rules without a name come from the map, which is rounded to 0.01 bits, so they may be off by a few places.",
      ),
    );
    recolour();
    choose(view.rule);
    // What the first picture did not need comes now, one file after the other.
    const rest = Object.keys(data.grain).filter((name) => !values(name));
    const next = () => {
      showNumbers(view.rule);
      const name = rest.shift();
      if (name) LN.need(`life-${name}`, next);
    };
    next();
  }
  function finding() {
    if (!LN.data.life.whole) return null;
    data = LN.data.life;
    LN.lifeRecord.read(data);
    const best = LN.lifeRecord.best();
    const own = life.ruleFrom("B3/S23");
    const conway = LN.lifeRecord.again(own);
    return `Of ${LN.number(data.rules, 0)} rules ${LN.number(data.zero, 0)} score 0 bits; the median excess is ${LN.number(inOrder("excess")[(SIDE * SIDE) >> 1], 1)} bits. On larger tori the highest rule, ${titled(best.rule)}, has an excess of ${reach(best)} bits${conway ? `, and Conway's Life ${reach(conway)}` : ""}; on the map Life ranks ${placed(own)}.`;
  }
  /* For tests: what runs, what is known of it, and the colour of a value. */
  Object.assign(life, {
    panel: {
      world: () => world,
      map: () => map,
      picture: () => map.picture,
      rule: () => life.write(view.rule),
      search,
      limits: (name) => data.limits[name],
      loaded: () => Object.keys(data.grain).every((name) => LN.data[`life-${name}`]),
    },
  });
  LN.panels.push({
    name: "life",
    title: "Every life-like rule",
    short: "Life-like rules",
    command: "novelty run life-map",
    data: ["life"],
    also: ["life-bits", "life-floor"],
    terms: ["excess", "raw", "floor", "n"],
    lead: "Conway's Life is one of many rules of its kind: a cell is born, or lives on, by how many of its neighbours live. From which of them can an observer learn? This is a map of all of them; click one to run it.",
    finding,
    build,
    at: () => (view ? life.write(view.rule) : ""),
    goTo: (text) => {
      const rule = search(text || "B3/S23");
      if (!view || !rule) return false;
      choose(rule);
    },
    theme: () => {
      if (map) {
        map.draw();
        world.draw();
      }
    },
    show: () => {
      if (world) world.start();
    },
    hide: () => {
      if (world) world.stop();
    },
  });
})();
