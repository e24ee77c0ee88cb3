"use strict";
/* The answer: one sentence, four numbers, then all of it. */
(() => {
  const { el } = LN;
  const { plain, percent } = LN.yours;
  const sentence = (text) =>
    text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");

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
        ["held-out variance", percent(found.held_out_variance), share],
        ["straight line", percent(found.linear_variance)],
        ["p-value", p],
        ["raw bits", plain(found.bits), `n = ${found.num_samples}`],
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
        found.points.length ? scatter(found) : null,
      ),
    ];
  };
  LN.yours.note = (text) => el("p", { class: "note", role: "alert" }, sentence(text));
})();
