/* What is wider than its box can be scrolled by keyboard too. */
(() => {
  const BOXES = ".md-typeset pre > code, .md-typeset__scrollwrap, .formula, .jp-OutputArea-output pre";
  const mark = () => {
    for (const box of document.querySelectorAll(BOXES)) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("load", mark);
  addEventListener("resize", mark);
})();
