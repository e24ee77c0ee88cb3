"use strict";
/* Three sentences about a score, and the caption of what noise does. */
(() => {
  const NUMBERS = { 2: "two", 4: "four", 8: "eight" };
  const percent = (share) => {
    if (share > 0 && share < 0.005) return "less than 1%";
    return share > 0.995 && share < 1 ? "over 99%" : `${Math.round(100 * share)}%`;
  };

  function predicted(found, { window, history }) {
    const [past, ahead] = [NUMBERS[history], NUMBERS[window]];
    if (!(found.held_out_variance > 0.01))
      return `From ${past} values the observer can tell nothing about the next ${ahead}, in stretches that it has not seen.`;
    return `From ${past} values the observer predicts ${percent(found.held_out_variance)} of the variance of the next ${ahead}, in stretches that it has not seen.`;
  }
  function compared({ bits, denoised_bits }) {
    const [raw, clean] = [LN.number(bits, 1), LN.number(denoised_bits, 1)];
    if (denoised_bits < 0.05)
      return `The raw score is ${raw} bits all the same, because a readout that fits noise needs large weights; without what noise could have made, ${clean} bits are left.`;
    if (denoised_bits > 0.85 * bits)
      return `The raw score is ${raw} bits, and nearly all of it stays when the part that noise could have made is taken off: ${clean} bits.`;
    return `The raw score is ${raw} bits, but part of it is noise, or what the observer cannot follow; without what noise could have made, ${clean} bits are left.`;
  }
  function tested({ p_value, null_count }) {
    if (p_value === null) return "The test against chance follows when the line rests.";
    const beaten = Math.round(p_value * (1 + null_count)) - 1;
    const many = ["none", "one"][beaten] ?? String(beaten);
    const verdict =
      p_value <= 0.05 ? "this is more than chance" : "chance alone would do for what is seen here";
    return `Of ${null_count} series with the same values in random order, ${many} can be predicted as well: ${verdict}.`;
  }

  /* What as much noise as signal does to the bits: both are [share, raw, denoised]. */
  function swept(first, equal) {
    const change = (i) => `from ${LN.number(first[i], 1)} to ${LN.number(equal[i], 1)}`;
    const rest = equal[2]
      ? "More noise hides the series, and denoised bits go to 0."
      : first[2]
        ? "So much noise hides this series."
        : "A series without structure has no denoised bits, however many raw bits it has.";
    return `Noise as large as the series itself takes raw bits ${change(1)}, and denoised bits ${change(2)}. ${rest} The dashed line is where the slider is.`;
  }

  Object.assign(LN.start, {
    swept,
    percent,
    sentences: (found, windows) => [predicted(found, windows), compared(found), tested(found)],
  });
})();
