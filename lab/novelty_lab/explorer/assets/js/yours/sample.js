"use strict";
/* A file to try: simulated pendulums. The period follows from the length, with the error of a
   stopwatch; weight and material do not matter; two lengths are missing, and a column counts. */
(() => {
  const ROWS = 120;
  LN.yours.sample = () => {
    const words = LN.observer.parts.numpyWords(7);
    const uniform = () => (words() + 0.5) / 2 ** 32;
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const lines = ["id,length_cm,weight_g,material,period_s"];
    for (let i = 1; i <= ROWS; i++) {
      const length = 10 + 190 * uniform();
      const weight = 20 + 180 * uniform();
      const material = ["brass", "steel", "wood"][Math.floor(3 * uniform())];
      const period = 2 * Math.PI * Math.sqrt(length / 981) + 0.08 * normal();
      const shown = i === 17 || i === 80 ? "" : length.toFixed(1);
      lines.push([i, shown, weight.toFixed(0), material, period.toFixed(2)].join(","));
    }
    return new File([`${lines.join("\n")}\n`], "pendulums.csv", { type: "text/csv" });
  };
})();
