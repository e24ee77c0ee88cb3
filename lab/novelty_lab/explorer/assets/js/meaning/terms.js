"use strict";
/* What a number is called, and what that means: one definition of each term, for all panels. */
(() => {
  const { el } = LN;
  LN.terms = {
    held: "Held-out variance: the share of the targets’ variance that is predicted in rows that were not fitted. 0 for noise.",
    line: "Straight line: the share that a linear regression explains of the same rows. Only what is above it is a bend. Python tests that too (ln.score).",
    p: "p-value: how often chance explains as much. The rows are rearranged, and their signs drawn at random; the larger of both p-values counts, so that noise whose size alone depends on the inputs is not taken for a relation.",
    raw: "Raw bits: the paper’s score, noise included. Pure noise has many raw bits too.",
    denoised:
      "Denoised bits: raw bits without the part that noise explains; 0 where nothing was learned. Python computes them (ln.score); this page only shows recorded ones.",
    floor: "Floor: the score of the unexplained residuals, what the observer could not learn.",
    excess: "Excess: raw bits less the floor.",
    directions: "Directions: in how many independent ways the future can be predicted.",
    n: "n: the number of rows that the observer saw. Compare scores at the same n only.",
  };
  LN.listed = (names) =>
    el(
      "ul",
      {},
      names.map((name) => {
        const [term, meaning] = LN.terms[name].split(/: (.*)/);
        return el("li", {}, el("b", {}, term), `: ${meaning}`);
      }),
    );
  /* The terms that a panel uses, folded away under one line. */
  LN.defined = (names) =>
    el(
      "details",
      { class: "fold terms" },
      el("summary", {}, "What do the numbers mean?"),
      LN.listed(names),
    );
})();
