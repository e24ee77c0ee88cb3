"use strict";
/* Tabs, theme, and the panels in them.

   A panel is an object that its own file pushes onto LN.panels:
     name, title, short   what it is called in addresses, above it, and on its tab
     lead                 what is asked here, in plain words and without a number
     finding()            what came out, a sentence made from the data
     data, also           names of data files that it needs, and that it uses if they are there
     command              what makes its record
     build(root)          fills it, once, when its data are there
     show(), hide()       start and stop what moves
     theme()              draws canvases again in other colours
   A part is what another artefact adds at the end of a panel, if its data are there:
     panel, data, build(root) */
(() => {
  const { el } = LN;
  const panels = /** @type {OpenPanel[]} */ (LN.panels);
  const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @type {OpenPanel} */
  let current;

  /** @param {OpenPanel} panel */
  function build(panel) {
    const lead = el("p", { class: "lead" }, panel.lead);
    panel.root.replaceChildren(el("h2", {}, panel.title), lead);
    const body = el("div");
    panel.root.append(body);
    const missing = (panel.data || []).filter((name) => !LN.has(name));
    if (missing.length) {
      body.append(
        el(
          "p",
          { class: "note" },
          "There is no record of this here yet. To make one: ",
          el("code", {}, panel.command),
          ".",
        ),
      );
      panel.absent = true;
      return;
    }
    const parts = LN.parts.filter(
      (other) => other.panel === panel.name && other.data.every(LN.has),
    );
    const wanted = [
      ...(panel.data || []),
      ...(panel.also || []).filter(LN.has),
      ...parts.flatMap((other) => other.data),
    ];
    const next = () => {
      const name = wanted.shift();
      if (name) {
        LN.need(name, next, () =>
          body.append(el("p", { class: "note" }, "The data did not load.")),
        );
        return;
      }
      const found = panel.finding?.();
      if (found) lead.after(el("p", { class: "finding" }, found));
      panel.build(body);
      for (const added of parts) added.build(body);
      panel.ready = true;
      if (current === panel && panel.show) panel.show();
    };
    next();
  }

  /** @param {OpenPanel} panel @param {boolean} [focus] */
  function open(panel, focus) {
    if (current === panel) return;
    if (current?.ready && current.hide) current.hide();
    current = panel;
    LN.untip();
    for (const other of panels) {
      const is = other === panel;
      other.root.hidden = !is;
      other.tab.setAttribute("aria-selected", String(is));
      other.tab.tabIndex = is ? 0 : -1;
    }
    if (focus) panel.tab.focus();
    panel.tab.scrollIntoView({ block: "nearest", inline: "center" });
    if (location.hash !== `#${panel.name}`) history.replaceState(null, "", `#${panel.name}`);
    if (!panel.started) {
      panel.started = true;
      build(panel);
    } else if (panel.ready && panel.show) panel.show();
  }

  for (const panel of panels) {
    panel.tab = el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${panel.name}`,
        "aria-controls": `panel-${panel.name}`,
        onclick: () => open(panel),
      },
      panel.short || panel.title,
    );
    panel.root = el("section", {
      role: "tabpanel",
      id: `panel-${panel.name}`,
      "aria-labelledby": `tab-${panel.name}`,
      tabindex: -1,
      hidden: true,
    });
    part("tabs").append(panel.tab);
    part("panels").append(panel.root);
  }
  part("tabs").addEventListener("keydown", (event) => {
    const at = panels.indexOf(current);
    const last = panels.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at ? at - 1 : last,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    open(panels[to], true);
  });

  const dark = matchMedia("(prefers-color-scheme: dark)");
  /** @type {string | null} */
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    /* Pages opened as files may have no storage. */
  }
  const paint = () => {
    document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
    for (const panel of panels) if (panel.ready && panel.theme) panel.theme();
  };
  part("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", chosen);
    } catch {
      /* As above. */
    }
    paint();
  });
  dark.addEventListener("change", paint);
  paint();

  part("foot").append(
    `learnable-novelty ${LN.data.index.version}. All numbers on this page are read from committed records, except those of Start and Your data. The paper is Zhang and Levin, “Intelligence from Learnable Novelty”.`,
  );
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    current.root.focus();
  });
  /* The panel of the page's address; for any other address, the one that is open. */
  const wanted = () => panels.find((panel) => `#${panel.name}` === location.hash) || current;
  addEventListener("hashchange", () => open(wanted()));
  open(wanted() || panels[0]);
})();
