"use strict";
/* What the numbers mean, and what noise does to them: on the series of the first tab. */
(() => {
  const { el } = LN;
  const LEVELS = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3];
  const HOW = { draws: 4, shuffles: 0 };

  const chartOf = (y, colour, domain) =>
    LN.charts.lines({
      label: `${y} by added noise`,
      height: 250,
      x: { label: "noise added, % of the series’ deviation", domain: [0, 300] },
      y: { label: y, domain },
      series: [{ name: y, colour, points: [], dots: "joined", width: 3 }],
      empty: "It follows.",
    });

  /** @type {() => void} */
  let show = () => {};
  function build(root) {
    const share = chartOf("held-out variance, %", "blue", [0, 100]);
    const bits = chartOf("raw bits", "red");
    const caption = el("span", {}, "The series of the first tab, with more and more noise.");
    /** @type {Float64Array | null} */
    let shown = null;

    const draw = (chart, name, colour, shown, domain) =>
      chart.update({
        series: [{ name, colour, points: shown, dots: "joined", width: 3 }],
        y: { label: name, domain },
      });
    /* points: [share of noise, raw bits, held-out share] */
    function tell(points) {
      const shares = points.map(([level, , held]) => [100 * level, 100 * held]);
      const scores = points.map(([level, raw]) => [100 * level, raw]);
      const most = 1.08 * Math.max(5, ...points.map(([, raw]) => raw));
      draw(share, "held-out variance, %", "blue", shares, [0, 100]);
      draw(bits, "raw bits", "red", scores, [0, most]);
      const equal = points.find(([level]) => level === 1);
      if (equal) caption.textContent = LN.start.swept(points[0], equal);
    }
    async function sweep() {
      const { values, seed } = LN.start.base();
      if (values === shown) return;
      shown = values;
      const points = [];
      try {
        for (const level of LEVELS) {
          const found = await LN.start.ask(LN.start.withNoise(values, level, seed), HOW);
          if (shown !== values) return;
          points.push([level, found.bits, found.held_out_variance]);
          tell(points);
        }
      } catch (error) {
        caption.textContent = /** @type {Error} */ (error).message;
      }
    }
    root.append(
      LN.figure(
        LN.listed(["held", "line", "p", "raw", "denoised", "n"]),
        "No number of bits is much or little by itself: it depends on the inputs, on the noise and on n. So read the share and the p-value first, and compare bits of equal data only.",
        "In the paper: S^φ = ½ log₂ det(I + η W W′), the bits of the readout W.",
      ),
      el(
        "div",
        { class: "split even" },
        LN.figure([el("h3", {}, "What noise does to the share"), share.node], caption),
        LN.figure(
          [el("h3", {}, "What noise does to the bits"), bits.node],
          "With the paper’s small ridge, λ = 0.1, a readout that fits noise needs large weights, and these have many bits.",
        ),
      ),
    );
    show = sweep;
  }
  LN.panels.push({
    name: "meaning",
    title: "What the numbers mean",
    short: "The numbers",
    chapter: "Meaning",
    lead: "A score without a test is no evidence. What does each number say, and what does noise do to it?",
    build,
    show: () => show(),
  });
})();
