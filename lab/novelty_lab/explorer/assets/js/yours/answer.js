"use strict";
/* The answer: one sentence, four numbers, then all of it. */
(() => {
  const { el } = LN;
  const { plain, percent } = LN.yours;
  const MANY = 60;
  const sentence = (text) =>
    text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");

  /* How many directions of the targets were learned. */
  function spectrum(found) {
    const values = found.spectrum.filter((v) => v > 1e-12);
    const told = values.slice(0, MANY);
    const chart = LN.charts.bars({
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
    return LN.figure(
      [el("h3", {}, "Spectrum"), chart.node],
      `How many independent directions of the targets were learned; the height of a bar is how strongly the inputs predict that direction.${values.length > told.length ? ` The strongest ${told.length} of ${values.length} are shown.` : ""}`,
      "In the paper: the singular values of the readout W.",
    );
  }
  /* What was observed of a single target, and what was predicted without having seen it. */
  function scatter(found) {
    const name = found.targets.length === 1 ? found.targets[0] : "the target";
    const ends = [Math.min, Math.max].map((end) => end(...found.points.flat()));
    const chart = LN.charts.lines({
      label: `Observed and predicted ${name}`,
      height: 300,
      x: { label: `${name}, observed` },
      y: { label: `${name}, predicted` },
      series: [
        { name: "rows", colour: "blue", points: found.points, dots: true },
        {
          name: "a perfect prediction",
          colour: "grey",
          points: ends.map((v) => [v, v]),
          dash: true,
        },
      ],
    });
    return LN.figure(
      [el("h3", {}, "Predicted, in rows not seen"), chart.node],
      "Each mark is a row, predicted by readouts that were fitted without it. On the dashed line a prediction is perfect; marks in a level band are not predicted at all.",
    );
  }

  /* found has the names of ln.Score, and verdict, rows, inputs, targets, notes and observer. */
  LN.yours.answer = (found) => {
    const [low, high] = found.held_out_interval;
    const share = Number.isFinite(low) ? `(${percent(low)} to ${percent(high)})` : undefined;
    const p =
      found.p_value === null
        ? "—"
        : LN.yours
            .pText(found)
            .replace(/^p (= )?/, "")
            .replace("<=", "≤");
    const warned = (found.cautions ?? []).map((text) =>
      el("p", { class: "note" }, sentence(`caution: ${text}`)),
    );
    return [
      el("p", { class: "finding" }, sentence(found.verdict)),
      LN.stats([
        ["denoised bits", plain(found.denoised_bits), `n = ${found.num_samples}`],
        ["held-out variance", percent(found.held_out_variance), share],
        ["p-value", p],
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
        found.points?.length ? scatter(found) : spectrum(found),
      ),
    ];
  };
  LN.yours.note = (text) => el("p", { class: "note", role: "alert" }, sentence(text));
})();
