"use strict";
/* Robustness: does the ranking of the automata survive other settings of the observer? */
(function () {
  const { el } = LN;
  const NAMES = { resolution: "resolution η", ridge_penalty: "ridge λ", window: "window τ", depth: "depth", kernel_size: "kernel size", channels: "channels", samples: "samples N", input_scale: "input scale" };
  /* Blue over white to orange: safe for colour-blind eyes. */
  function tint(share) {
    const end = share >= 0 ? [86, 180, 233] : [230, 159, 0], t = Math.min(1, Math.abs(share));
    return `rgb(${end.map((c) => Math.round(255 + (c - 255) * t)).join(",")})`;
  }
  function heat(rows, value, limit, text) {
    const names = Object.keys(rows), centre = (cells) => Math.max(0, cells.findIndex((c) => c.is_reference));
    const before = Math.max(...names.map((n) => centre(rows[n])));
    const after = Math.max(...names.map((n) => rows[n].length - centre(rows[n])));
    const grid = el("div", { class: "heat", role: "group", style: { gridTemplateColumns: `max-content repeat(${before + after}, minmax(3.1rem, 1fr))` } });
    names.forEach((name, r) => {
      grid.append(el("div", { class: "name", style: { gridRow: r + 1, gridColumn: 1 } }, NAMES[name] || name));
      rows[name].forEach((cell, i) => {
        const full = `${NAMES[name] || name} = ${cell.value}${cell.is_reference ? " (the reference)" : ""}\nfirst: rule ${cell.first}\nmargin of rule 110: ${LN.number(cell.margin, 1)} bits\nranks: 110 ${cell.rank_110}, 54 ${cell.rank_54}, 30 ${cell.rank_30}\nagreement of the order: ${LN.number(cell.spearman, 3)}`;
        grid.append(el("div", { class: "cell" + (cell.is_reference ? " reference" : ""), tabindex: 0, role: "img", "aria-label": full,
          style: { background: tint(value(cell) / limit), gridRow: r + 1, gridColumn: 2 + before - centre(rows[name]) + i },
          onpointermove: (event) => LN.tip(event, full), onpointerleave: LN.untip, onblur: LN.untip,
          onfocus: (event) => { const box = event.target.getBoundingClientRect(); LN.tip({ clientX: box.left, clientY: box.bottom }, full); } }, el("b", {}, text(cell)), el("br"), String(cell.value)));
      });
    });
    return el("div", { class: "scroll" }, grid);
  }
  function build(root) {
    const rows = {};
    for (const cell of LN.data.robustness.cells) (rows[cell.axis] = rows[cell.axis] || []).push(cell);
    root.append(
      LN.figure([el("h3", {}, "By how many bits is rule 110 ahead?"), heat(rows, (c) => c.margin, 30, (c) => LN.number(c.margin, 1).replace("-", "−"))],
        "Each row turns one knob of the observer, the framed cell is the reference setting. Bold: lead of rule 110 over the next rule in bits (blue ahead, orange behind); below it the value of the knob. Point at a cell for all numbers.",
        "In the paper: margin in S^φ, appendix B."),
      LN.figure([el("h3", {}, "Places of rule 30 / rule 54"), heat(rows, (c) => c.rank_30 - c.rank_54, 15, (c) => `${c.rank_30} / ${c.rank_54}`)],
        "Rule 30 looks random, rule 54 has structure that moves. Blue: 54 ranks above 30.", "In the paper: ranks of rules 30 and 54, appendix B."));
  }
  LN.panels.push({ name: "robustness", title: "Robustness of the ranking", short: "Robustness", command: "novelty run eca-scan", data: ["robustness"],
    lead: "A ranking that depends on one lucky setting is worth little. Here each setting of the observer is changed on its own.", build });
})();
