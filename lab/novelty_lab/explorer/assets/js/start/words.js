"use strict";
/* Three sentences about a score, and the caption of what noise does. */
(() => {
  const NUMBERS = { 2: "two", 4: "four", 8: "eight" };
  const { percent } = LN.yours;

  function predicted({ held_out_variance: share, linear_variance: line }, { window, history }) {
    const [past, ahead] = [NUMBERS[history], NUMBERS[window]];
    return share > 0.01
      ? `From ${past} values the observer predicts ${percent(share)} of the variance of the next ${ahead}, in stretches that it has not seen; a straight line ${percent(line)}.`
      : `From ${past} values the observer can tell nothing about the next ${ahead}, in stretches that it has not seen.`;
  }
  function tested({ p_value, dependence_p_value, null_count }) {
    if (p_value === null) return "The test against chance follows when the line rests.";
    const beaten = Math.round(dependence_p_value * (1 + null_count)) - 1;
    const many = ["none", "one"][beaten] ?? String(beaten);
    const verdict = p_value <= 0.05 ? "this is more than chance" : "this may be chance";
    return `Of ${null_count} series with the same values in random order, ${many} can be predicted as well: ${verdict}.`;
  }
  const scored = ({ bits }) =>
    `The paper’s score is ${LN.number(bits, 1)} bits. It is no evidence by itself, because noise has many bits too.`;

  /* What noise as large as the series does: both are [share of noise, bits, held-out share]. */
  LN.start.swept = (first, equal) =>
    `Noise as large as the series itself takes raw bits from ${LN.number(first[1], 1)} to ${LN.number(equal[1], 1)}, and the held-out variance from ${percent(first[2])} to ${percent(equal[2])}.`;
  LN.start.sentences = (found, windows) => [
    predicted(found, windows),
    tested(found),
    scored(found),
  ];
})();
