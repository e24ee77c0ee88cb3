"use strict";
/* Robustness: does the ranking of the automata survive other settings of the observer? */
(() => {
  const { el } = LN;
  const NAMES = {
    resolution: "resolution η",
    ridge_penalty: "ridge λ",
    window: "window τ",
    depth: "depth",
    kernel_size: "kernel size",
    channels: "channels",
    samples: "samples N",
    linear_last: "last layer linear",
  };
  /* Blue over white to orange: safe for colour-blind eyes. */
  function tint(share) {
    const end = share >= 0 ? [86, 180, 233] : [230, 159, 0];
    const t = Math.min(1, Math.abs(share));
    return `rgb(${end.map((c) => Math.round(255 + (c - 255) * t)).join(",")})`;
  }
  function heat(rows, value, limit, text, kind) {
    const names = Object.keys(rows);
    const centre = (cells) =>
      Math.max(
        0,
        cells.findIndex((c) => c.is_reference),
      );
    const before = Math.max(...names.map((n) => centre(rows[n])));
    const after = Math.max(...names.map((n) => rows[n].length - centre(rows[n])));
    const grid = el("div", {
      class: `heat ${kind}`,
      role: "group",
      "aria-label": "Heat map; arrow keys go from cell to cell",
    });
    grid.style.setProperty("--columns", String(before + after));
    names.forEach((name, r) => {
      const at = el("div", { class: "name" }, NAMES[name] || name);
      at.style.setProperty("--row", String(r + 1));
      grid.append(at);
      rows[name].forEach((cell, i) => {
        const full = `${NAMES[name] || name} = ${cell.value}${cell.is_reference ? " (the reference)" : ""}\nfirst: rule ${cell.first}\nmargin of rule 110: ${LN.number(cell.margin, 1)} raw bits\nranks: 110 ${cell.rank_110}, 54 ${cell.rank_54}, 30 ${cell.rank_30}\nagreement of the order: ${LN.number(cell.spearman, 3)}`;
        const column = 1 + before - centre(rows[name]) + i;
        const box = el(
          "div",
          {
            class: `cell${cell.is_reference ? " reference" : ""}`,
            tabindex: r || !cell.is_reference ? -1 : 0,
            role: "img",
            "aria-label": full,
            "data-row": r,
            "data-column": column,
            style: { background: tint(value(cell) / limit) },
            onpointermove: (event) => LN.tip(event, full),
            onpointerleave: LN.untip,
            onblur: LN.untip,
            onfocus: (event) => {
              const place = event.target.getBoundingClientRect();
              LN.tip({ clientX: place.left, clientY: place.bottom }, full);
            },
          },
          el("b", {}, text(cell)),
          el("small", {}, String(cell.value)),
        );
        box.style.setProperty("--row", String(r + 1));
        box.style.setProperty("--column", String(column));
        grid.append(box);
      });
    });
    grid.addEventListener("keydown", walk);
    return grid;
  }
  /* From cell to cell; a shorter row is met at its nearest cell. */
  function walk(event) {
    const [down, right] =
      { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key] ||
      [];
    if (down === undefined) return;
    event.preventDefault();
    const here = event.target;
    const row = +here.dataset.row + down;
    const column = +here.dataset.column + right;
    const there = [...event.currentTarget.querySelectorAll(`[data-row="${row}"]`)].sort(
      (a, b) => Math.abs(a.dataset.column - column) - Math.abs(b.dataset.column - column),
    )[0];
    if (!there) return;
    here.tabIndex = -1;
    there.tabIndex = 0;
    there.focus();
  }
  function finding() {
    const { cells } = LN.data.robustness;
    const tried = cells.filter((cell) => !cell.is_reference);
    const own = cells.find((cell) => cell.is_reference);
    const first = tried.filter((cell) => String(cell.first) === String(own.first)).length;
    return `Rule ${own.first}, first at the reference setting, stays first in ${first} of the ${tried.length} other settings.`;
  }
  function build(root) {
    const rows = {};
    for (const cell of LN.data.robustness.cells) {
      rows[cell.axis] ||= [];
      rows[cell.axis].push(cell);
    }
    root.append(
      LN.figure(
        [
          el("h3", {}, "By how many raw bits is rule 110 ahead?"),
          heat(
            rows,
            (c) => c.margin,
            30,
            (c) => LN.number(c.margin, 1),
            "raw bits",
          ),
        ],
        "Each row changes one setting of the observer; the framed cell is the reference. A cell is a single draw, so it differs a little from the mean of many draws on the Automata tab. Bold: the lead of rule 110 over the best other rule, in raw bits, n = 512 starts if not said otherwise (blue: ahead, orange: behind). Below it: the value of the setting. Point at a cell to see all its numbers.",
        "In the paper: margin in S^φ, appendix B.",
      ),
      LN.figure(
        [
          el("h3", {}, "Ranks of rule 30 / rule 54"),
          heat(
            rows,
            (c) => c.rank_30 - c.rank_54,
            15,
            (c) => `${c.rank_30} / ${c.rank_54}`,
            "places",
          ),
        ],
        "Rule 30 looks random, rule 54 has structure that moves. Blue: 54 ranks above 30.",
        "In the paper: ranks of rules 30 and 54, appendix B.",
      ),
    );
  }
  LN.panels.push({
    name: "robustness",
    title: "Robustness of the ranking",
    short: "Robustness",
    command: "novelty run eca-scan",
    data: ["robustness"],
    lead: "Does the ranking depend on the settings of the observer? Here each setting is changed on its own.",
    finding,
    build,
  });
})();
