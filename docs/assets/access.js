/* What is wider than its box can be scrolled by keyboard too, and a copy button is no landmark. */
(() => {
  const BOXES = [
    ".md-typeset pre > code",
    ".md-typeset__scrollwrap",
    ".formula",
    ".highlight-ipynb",
    ".jp-OutputArea-output",
    ".jp-OutputArea-output pre",
  ].join();
  const mark = () => {
    for (const box of document.querySelectorAll(BOXES)) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
    for (const buttons of document.querySelectorAll(".md-code__nav")) buttons.role = "none";
  };
  let asked = 0;
  const soon = () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(mark);
  };
  addEventListener("load", soon);
  addEventListener("resize", soon);
  // The theme wraps tables and adds buttons while the page is read.
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
})();
