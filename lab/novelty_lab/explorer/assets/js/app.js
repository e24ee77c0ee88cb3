"use strict";
/* The story: chapters of tabs, the panels in them, and the theme.

   A panel is an object that its own file pushes onto LN.panels:
     name, title, short   what it is called in addresses, above it, and on its tab
     chapter              where in the story it stands
     lead                 what is asked here, in plain words and without a number
     finding()            what came out, a sentence made from the data
     terms                names of the terms in it, which are then explained (terms.js)
     data, also           names of data files that it needs, and that it uses if they are there
     command              what makes its record
     build(root)          fills it, once, when its data are there
     show(), hide()       start and stop what moves
     theme()              draws canvases again in other colours
     alias                another name of it in addresses
     at(), goTo(text)     what it shows, as in an address, and how to show that; "" is how it opens
   A part is what another artefact adds at the end of a panel, if its data are there:
     panel, data, build(root) */
(() => {
  const { el } = LN;
  const CHAPTERS = ["Your numbers", "Meaning", "Worlds", "The paper"];
  const placeOf = ({ chapter = "Worlds" }) => CHAPTERS.indexOf(chapter);
  const panels = /** @type {OpenPanel[]} */ (LN.panels).sort((a, b) => placeOf(a) - placeOf(b));
  const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @type {OpenPanel} */
  let current;

  /* The way to the next part of the story. */
  const onward = (next) =>
    next
      ? [
          el(
            "p",
            { class: "onward" },
            "Next: ",
            el("a", { href: `#${next.name}` }, next.title),
            ". ",
            next.lead,
          ),
        ]
      : [];

  /** @param {OpenPanel} panel */
  function build(panel) {
    const lead = el("p", { class: "lead" }, panel.lead);
    panel.root.replaceChildren(el("h2", {}, panel.title), lead);
    const body = el("div");
    panel.root.append(body, ...onward(panels[panels.indexOf(panel) + 1]));
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
      if (panel.terms) lead.after(LN.defined(panel.terms));
      if (found) lead.after(el("p", { class: "finding" }, found));
      panel.build(body);
      for (const added of parts) added.build(body);
      panel.ready = true;
      if (panel.asked) visit(panel, panel.asked);
      if (current === panel && panel.show) panel.show();
    };
    next();
  }

  /* An address is #panel or #panel=what, such as #life=B36/S23. */
  const addressOf = (panel) => {
    const what = panel.ready ? panel.at?.() : panel.asked;
    return `#${panel.name}${what ? `=${encodeURI(what)}` : ""}`;
  };
  /** @returns {{ panel?: OpenPanel, what: string }} */
  function wanted() {
    const [, name, what] = /** @type {string[]} */ (location.hash.match(/^#?([^=]*)=?(.*)$/));
    const is = (panel) => [panel.name, panel.alias].includes(name.toLowerCase());
    let text = what;
    try {
      text = decodeURIComponent(what);
    } catch {
      /* Not encoded by us: as it stands. */
    }
    return { panel: panels.find(is), what: text };
  }
  let visiting = false;
  /** Show what an address asks for; one that cannot be shown is replaced by what is.
   * @param {OpenPanel} panel @param {string} what */
  function visit(panel, what) {
    if (!panel.goTo) return;
    visiting = true;
    const there = panel.goTo(what);
    visiting = false;
    if (there === false) history.replaceState(null, "", addressOf(panel));
  }
  /* A slider or a held arrow key makes one entry of the history, not a hundred. */
  let slid = -Infinity;
  function write(address, sliding) {
    if (location.hash === address) return;
    const replace = sliding && performance.now() - slid < 1000;
    if (sliding) slid = performance.now();
    history[replace ? "replaceState" : "pushState"](null, "", address);
  }
  LN.changed = (sliding) => {
    if (current?.ready && !visiting) write(addressOf(current), sliding);
  };
  LN.current = () => current;

  /** @param {OpenPanel} panel */
  function open(panel) {
    if (current === panel) return;
    if (current?.ready && current.hide) current.hide();
    current = panel;
    LN.untip();
    document.title = `${panel.title} · Learnable novelty`;
    for (const other of panels) {
      const is = other === panel;
      other.root.hidden = !is;
      other.tab.setAttribute("aria-selected", String(is));
      other.tab.tabIndex = is ? 0 : -1;
    }
    panel.tab.scrollIntoView({ block: "nearest", inline: "center" });
    if (!panel.started) {
      panel.started = true;
      build(panel);
    } else if (panel.ready && panel.show) panel.show();
  }

  for (const [at, panel] of panels.entries()) {
    const isFirst = !at || placeOf(panels[at - 1]) !== placeOf(panel);
    panel.tab = el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${panel.name}`,
        "aria-controls": `panel-${panel.name}`,
        "data-chapter": isFirst ? `${placeOf(panel) + 1} ${CHAPTERS[placeOf(panel)]}` : null,
        onclick: () => {
          open(panel);
          write(addressOf(panel));
        },
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
    open(panels[to]);
    current.tab.focus();
    write(addressOf(current), true);
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
    `learnable-novelty ${LN.data.index.version}. All numbers on this page are read from committed records, except those of Start, Your data and The numbers, which are computed here. The paper is Zhang and Levin, “Intelligence from Learnable Novelty”.`,
  );
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    current.root.focus();
  });
  /* The panel of the page's address; for any other address, the one that is open. */
  function follow() {
    const { panel, what } = wanted();
    if (!panel) return;
    if (panel.ready) visit(panel, what);
    else panel.asked = what;
    open(panel);
  }
  addEventListener("hashchange", follow);
  follow();
  if (!LN.current()) {
    open(panels[0]);
    history.replaceState(null, "", `#${panels[0].name}`);
  }
})();
