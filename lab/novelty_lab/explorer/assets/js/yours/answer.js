"use strict";
/* The answer: one sentence, four numbers, then all of it. */
(() => {
  const { el } = LN;
  const { plain, percent } = LN.yours;
  const MANY = 60;
  const sentence = (text) =>
    text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");

  /* found has the names of ln.Score, and verdict, rows, inputs, targets, notes and observer. */
  LN.yours.answer = (found) => {
    const values = found.spectrum.filter((v) => v > 1e-12);
    const told = values.slice(0, MANY);
    const spectrum = LN.charts.bars({
      label: "Spectrum of the readout",
      height: 260,
      y: "singular value of W",
      x: "direction, strongest first",
      bars: told.map((v, i) => ({
        key: i + 1,
        name: String(i + 1),
        value: v,
        colour: "blue",
        text: `direction ${i + 1}\nsingular value ${+v.toPrecision(4)}`,
      })),
    });
    const [low, high] = found.held_out_interval;
    const share = Number.isFinite(low) ? `95% ${percent(low)} to ${percent(high)}` : undefined;
    const warned = (found.cautions ?? []).map((text) =>
      el("p", { class: "note" }, sentence(`caution: ${text}`)),
    );
    return [
      el("p", { class: "finding" }, sentence(found.verdict)),
      LN.stats([
        ["denoised bits", plain(found.denoised_bits), `n = ${found.num_samples}`],
        ["held-out variance", percent(found.held_out_variance), share],
        ["p-value", found.p_value === null ? "—" : String(+found.p_value.toPrecision(2))],
        ["raw bits", plain(found.bits), `floor ${plain(found.floor_bits)}`],
      ]),
      ...warned,
      el(
        "div",
        { class: "split" },
        LN.figure(
          [
            el("h3", {}, "In numbers"),
            LN.table(
              ["quantity", "value", "meaning"],
              found.rows.map((row) => ({ cells: row })),
              (i) => i === 1,
            ),
            found.notes.length
              ? el(
                  "ul",
                  { class: "things" },
                  found.notes.map((text) => el("li", {}, text)),
                )
              : null,
          ],
          `${found.inputs.join(", ")} → ${found.targets.join(", ")}. Bits alone are no evidence: the p-value says how often chance alone explains as much.`,
          `In the paper: S^φ = ½ log₂ det(I + η W W′). ${found.observer}`,
        ),
        LN.figure(
          [el("h3", {}, "Spectrum"), spectrum.node],
          `How many independent directions of the targets were learned; the height of a bar is how strongly the inputs predict that direction.${values.length > told.length ? ` The strongest ${told.length} of ${values.length} are shown.` : ""}`,
          "In the paper: the singular values of the readout W.",
        ),
      ),
    ];
  };
  LN.yours.note = (text) => el("p", { class: "note", role: "alert" }, sentence(text));
})();
