"use strict";
/* A score in words and rows, as learnable_novelty.Score tells it. */
(() => {
  /* Two significant digits; less than half a hundredth is 0. */
  const plain = (value) => {
    if (!Number.isFinite(value)) return "—";
    return Math.abs(value) < 0.005 ? "0" : String(+value.toPrecision(2));
  };
  /* A share as percent: whole ones, with more digits near 0 and 1. */
  function percent(share) {
    if (!Number.isFinite(share)) return "—";
    if (share <= 0 || share >= 1) return `${Math.round(100 * share)}%`;
    if (share < 0.0995) return share < 1e-4 ? "<0.01%" : `${plain(100 * share)}%`;
    if (share <= 0.99) return `${Math.round(100 * share)}%`;
    const missing = 100 * (1 - share);
    return missing < 0.01 ? ">99.99%" : `${+(100 - +missing.toPrecision(1)).toFixed(6)}%`;
  }
  const pText = ({ p_value, null_count }) =>
    `p ${p_value * (1 + null_count) <= 1 ? "<=" : "="} ${+p_value.toPrecision(2)}`;

  /* What explains and what is explained. */
  function subjects(found, inputs, targets) {
    const listed = (names) => (names.length > 3 ? "" : names.join(" and "));
    if (found.is_series)
      return [
        "the past explains",
        listed(inputs) ? `the future of ${listed(inputs)}` : "the future",
      ];
    return ["the inputs explain", listed(targets) || "the targets"];
  }

  function verdict(found, inputs, targets) {
    if (found.refusal) return `no p-value: ${found.refusal}`;
    const [subject, target] = subjects(found, inputs, targets);
    const share = found.held_out_variance;
    const explains = Number.isFinite(share)
      ? `${subject} ${percent(share)} of ${target} on held-out rows`
      : "too few samples to hold some out";
    if (found.p_value > 0.05 && found.dependence_p_value <= 0.05)
      return `some dependence of ${target} on ${subject.replace(/ explains?$/, "")} (p = ${+found.dependence_p_value.toPrecision(2)}), but no mean that can be learned (p = ${+found.p_value.toPrecision(2)}): perhaps of size only, as in GARCH; ln.dependence tests every kind of it`;
    if (found.p_value > 0.05) return `no relation found (${pText(found)})`;
    if (!Number.isFinite(share)) return `relation found (${pText(found)}); ${explains}`;
    const line = `a straight line explains ${percent(found.linear_variance)}`;
    return `${share >= 0.1 ? "clear" : "weak"} relation: ${explains} (${pText(found)}); ${line}`;
  }

  /* Name, value and meaning. */
  function rows(found) {
    const [low, high] = found.held_out_interval;
    const moved = found.is_series ? "the time steps of the series" : "target rows";
    const smallest = found.p_value !== null && pText(found).startsWith("p <=");
    const hasShare = Number.isFinite(found.held_out_variance);
    const table = [
      [
        "held-out variance",
        percent(found.held_out_variance),
        hasShare ? `in rows not seen; 95% [${percent(low)}, ${percent(high)}]` : "too few samples",
      ],
      [
        "  straight line",
        percent(found.linear_variance),
        hasShare ? `on the same folds; 95% [${found.linear_interval.map(percent).join(", ")}]` : "",
      ],
      [
        "p-value",
        found.p_value === null ? "—" : String(+found.p_value.toPrecision(2)),
        `${found.null_count} rearrangements of ${moved}${smallest ? "; the smallest that they can give" : ""}`,
      ],
      [
        "raw bits",
        plain(found.bits),
        `the paper’s S, noise included; n = ${found.num_samples}: compare at equal n only`,
      ],
      ["explained variance", percent(found.explained_variance), "in the rows that were seen"],
    ];
    if (found.dependence_p_value !== found.p_value)
      table.splice(3, 0, [
        "  of dependence",
        String(+found.dependence_p_value.toPrecision(2)),
        "in mean or in size",
      ]);
    return table;
  }
  LN.yours = { plain, percent, pText, verdict, rows };
})();
