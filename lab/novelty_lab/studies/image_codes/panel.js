"use strict";
/* A part of the encoder's panel: learned codes beside raw pixels and principal components. */
(() => {
  const { el } = LN;
  const MEASURES = ["linear", "neighbours", "clusters"];
  const SETS = { mnist: "MNIST digits", "fashion-mnist": "Fashion-MNIST" };
  const percent = ({ mean, sd, runs }) =>
    LN.number(100 * mean, 1) + (runs > 1 ? ` ± ${LN.number(100 * sd, 1)}` : "");

  function build(root) {
    const { table, selected } = LN.data["encoder-controls"];
    const title = (name) =>
      name === "paper" ? "the paper's recipe" : selected.includes(name) ? `${name} (chosen)` : name;
    const row = ([name, accuracy]) => ({
      mark: selected.includes(name) ? "chosen" : null,
      cells: [
        title(name),
        ...MEASURES.map((measure) => percent(accuracy[measure])),
        String(accuracy.linear.runs),
      ],
    });
    for (const [set, codes] of Object.entries(table)) {
      root.append(
        LN.figure(
          [
            el("h3", {}, SETS[set] || set),
            LN.table(
              ["code", "linear probe, %", "5 nearest, %", "clusters, %", "runs"],
              Object.entries(codes).map(row),
              (i) => i > 0,
              true,
            ),
          ],
          "Is the learned code better than simple baselines? Raw pixels and principal components (PCA-64) are the baselines. The probes here were trained on all training images, so the numbers are higher than in the curves above. “Moved”: the network encodes the image shifted by a pixel or two, and the observer sees it unshifted. Shaded: chosen by a ranking that used no labels; the documentation says how blind that choice was. ± standard deviation between runs.",
          "Ours; the paper has no such controls.",
        ),
      );
    }
  }
  LN.parts.push({ panel: "encoder", data: ["encoder-controls"], build });
})();
