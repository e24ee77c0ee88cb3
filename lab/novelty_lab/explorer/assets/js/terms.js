"use strict";
/* What a number is called, and what that means: one definition of each term, for all panels. */
(() => {
  const { el } = LN;
  LN.terms = {
    denoised: "Denoised bits: what noise could not have made. The number to quote; 0 for noise.",
    raw: "Raw bits: the paper's score, noise included. Pure noise has many raw bits too.",
    floor: "Floor: the score of the unexplained residuals, what the observer could not learn.",
    excess: "Excess: raw bits less the floor.",
    directions: "Directions: in how many independent ways the future can be predicted.",
    n: "n: the number of rows that the observer saw. Compare scores at the same n only.",
  };
  /* The terms that a panel uses, folded away under one line. */
  LN.defined = (names) =>
    el(
      "details",
      { class: "fold terms" },
      el("summary", {}, "What do the numbers mean?"),
      el(
        "ul",
        {},
        names.map((name) => {
          const [term, meaning] = LN.terms[name].split(/: (.*)/);
          return el("li", {}, el("b", {}, term), `: ${meaning}`);
        }),
      ),
    );
})();
