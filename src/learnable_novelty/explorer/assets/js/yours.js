"use strict";
/* Your data: send a file to the local server, which scores it as `novelty score` does. */
(function () {
  const { el } = LN;
  function local(root) {
    root.append(el("p", { class: "note" }, "This page was exported, so nothing here can compute. On your own machine:"),
      el("pre", {}, el("code", {}, "novelty explore                                 # this page, with an upload here\nnovelty score data.csv --targets yield          # rows are samples\nnovelty score series.csv --window 8 --history 4 # rows are time")));
  }
  function answer(found) {
    return LN.figure([el("h3", {}, found.verdict[0].toUpperCase() + found.verdict.slice(1) + "."),
      LN.table(["quantity", "value", "meaning"], found.rows.map((row) => ({ cells: row })), (i) => i === 1)],
      `${found.inputs.join(", ")} → ${found.targets.join(", ")}. Bits alone are no evidence: read what lies above the floor, and the p-value (how often chance alone does as well).`,
      `In the paper: S^φ = ½ log₂ det(I + η W W′). ${found.observer}`);
  }
  function build(root) {
    if (!LN.data.index.served) { local(root); return; }
    const file = el("input", { type: "file", accept: ".csv,.tsv,.npy" });
    const text = (label, hint) => { const box = el("input", { type: "text", placeholder: hint }); return [el("label", {}, label, box), box]; };
    const [targets, targetBox] = text("Target columns", "yield");
    const [inputs, inputBox] = text("Input columns (empty: the others)", "temperature,pressure");
    const windowBox = el("input", { type: "number", min: 1, max: 1000 }), historyBox = el("input", { type: "number", min: 1, max: 1000 });
    const out = el("div", { "aria-live": "polite" });
    const button = el("button", { type: "button", class: "primary", onclick: send }, "Score");
    async function send() {
      if (!file.files.length) { out.replaceChildren(el("p", { class: "note" }, "Choose a file first.")); return; }
      const query = new URLSearchParams({ name: file.files[0].name, targets: targetBox.value, inputs: inputBox.value, window: windowBox.value, history: historyBox.value });
      button.disabled = true;
      out.replaceChildren(el("p", {}, "Scoring…"));
      try {
        const reply = await fetch("/api/score?" + query, { method: "POST", body: file.files[0] });
        const found = await reply.json();
        out.replaceChildren(found.error ? el("p", { class: "note" }, found.error[0].toUpperCase() + found.error.slice(1) + ".") : answer(found));
      } catch { out.replaceChildren(el("p", { class: "note" }, "The server did not answer; is novelty explore still running?")); }
      button.disabled = false;
    }
    root.append(el("div", { class: "controls" }, el("label", {}, "File (.csv, .tsv, .npy; at most 20 MB)", file), targets, inputs,
      el("label", {}, "Or: rows are time, predict so many steps", windowBox), el("label", {}, "Past steps per input", historyBox), button), out,
      el("p", { class: "lead" }, "The file goes to the program on this machine and nowhere else."));
  }
  LN.panels.push({ name: "yours", title: "Your data", lead: "Is there learnable structure in your own file? The answer is a sentence; the numbers follow.", build });
})();
