"use strict";
/* The ledger: every claim of the paper beside what the records hold. */
(() => {
  const { el } = LN;
  const MARKS = { reproduced: "✓", differs: "≠", "not run": "·" };
  const OPEN_AT_MOST = 20; // claims that are shown at once
  /* What claims are about, by the first word of their names. */
  const TOPICS = {
    eca: "automata",
    nca: "neural automaton",
    mdl: "description length",
    chi: "criticality",
    flows: "flows",
    mnist: "encoder",
    rl: "agents",
  };
  function named(section, rows) {
    const place = (/^\d/.test(section) ? `Section ${section}` : section).replace(
      "app ",
      "appendix ",
    );
    const topics = [...new Set(rows.map((row) => TOPICS[row.id.split(".")[0]]))].filter(Boolean);
    return `${place.replace(/^./, (c) => c.toUpperCase())}: ${topics.join(", ")}`;
  }
  const show = { verdict: "all", text: "" };

  /* Short values stay on one line. */
  const value = (text) =>
    text && el("span", { style: { whiteSpace: text.length < 18 ? "nowrap" : null } }, text);

  const link = (address, text) =>
    address ? el("a", { href: address, target: "_blank", rel: "noopener" }, text) : null;
  /* The records behind a row: one, or those of every run, a line for each task and reward. */
  function records(row) {
    if (row.records.length < 2) return link(row.records[0], "record");
    const groups = {};
    for (const path of row.records) {
      const [, group, seed] = path.match(/([^/]+)-(seed\d+)\/record\.json$/);
      groups[group] ||= [];
      groups[group].push(link(path, seed));
    }
    return el(
      "details",
      { class: "fold" },
      el("summary", {}, `${row.records.length} records`),
      Object.entries(groups).map(([group, links]) =>
        el("small", { class: "sources" }, group, ...links),
      ),
    );
  }
  /* A rule as its author wrote it: paragraphs, and formulas set apart. */
  const rule = (kind) =>
    el(
      "details",
      { class: "fold" },
      el("summary", {}, `rule: ${kind}`),
      LN.data.ledger.rules[kind]
        .split("\n\n")
        .map((part) =>
          part.startsWith("    ")
            ? el("pre", {}, part.replace(/^ {4}/gm, ""))
            : el("small", {}, part.replace(/\s+/g, " ")),
        ),
    );
  const notes = (row) => [
    row.note ? el("small", {}, row.note) : null,
    el(
      "small",
      { class: "sources" },
      el("code", {}, row.id),
      row.command ? el("code", {}, row.command) : null,
      link(row.figure, "figure"),
      records(row),
      rule(row.kind),
    ),
  ];
  /** A line that opens; what is inside is made when it opens first.
   * @param {string} kind @param {Child} line @param {() => Child} inside @param {boolean} [open] */
  function folded(kind, line, inside, open) {
    const fold = el("details", { class: kind }, el("summary", {}, line));
    let empty = true;
    const fill = () => {
      if (!fold.open || !empty) return;
      empty = false;
      fold.append(el("div", {}, inside()));
    };
    fold.addEventListener("toggle", fill);
    fold.open = Boolean(open);
    fill();
    return fold;
  }
  const verdict = (row) =>
    el(
      "span",
      { class: `verdict ${row.verdict.replace(" ", "-")}` },
      `${MARKS[row.verdict]} ${row.verdict}`,
    );
  const claims = (rows) =>
    LN.table(
      ["Claim", "Paper", "Ours", "Verdict"],
      rows.map((row) => ({
        key: row.id,
        cells: [
          [row.statement, folded("fold", "Notes and sources", () => notes(row), rows.length === 1)],
          value(row.paper),
          value(row.ours),
          verdict(row),
        ],
      })),
      null,
      true,
    );
  const countOf = (rows) => {
    const counts = {};
    for (const row of rows) counts[row.verdict] = (counts[row.verdict] || 0) + 1;
    return counts;
  };
  const tally = (rows) => {
    const counts = countOf(rows);
    const given = Object.keys(MARKS).filter((name) => counts[name]);
    return given.map((name) => `${MARKS[name]} ${counts[name]} ${name}`).join(", ");
  };
  /* As in the paper: sections, its table in section 4.3, appendices. */
  const order = (section) =>
    /^\d/.test(section) ? `0 ${section}` : section.startsWith("app") ? `2 ${section}` : "0 4.3";

  let at = () => "";
  /** @type {(text: string) => boolean | undefined} */
  let goTo = () => false;
  function build(root) {
    const { rows } = LN.data.ledger;
    const body = el("div", { class: "claims" });
    const counts = countOf(rows);
    const sections = [...new Set(rows.map((row) => row.section))];
    sections.sort((a, b) => order(a).localeCompare(order(b)));
    const buttons = ["all", ...Object.keys(MARKS).filter((name) => counts[name])].map((name) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(name === "all"),
          "data-verdict": name,
          onclick: () => {
            show.verdict = name;
            draw();
            LN.changed();
          },
        },
        name === "all" ? `All ${rows.length}` : `${MARKS[name]} ${name} ${counts[name]}`,
      ),
    );
    const search = el("input", {
      type: "text",
      oninput: () => {
        show.text = search.value.toLowerCase();
        draw();
        LN.changed(true);
      },
    });
    root.append(
      el("div", { class: "controls" }, buttons, el("label", {}, "Search", search)),
      LN.figure(
        body,
        `Open a section to see its claims. Each row is a statement of the paper beside our result. A stated rule computes the verdict. “Reproduced”: the two agree within the errors of both, which says little where the errors are large. “Differs”: they do not agree.${counts["not run"] ? " “Not run”: there are no runs, or too few." : ""} Ours is the mean ± standard deviation over runs, with the number of runs in parentheses. A rank is followed by the range of ranks within its error.`,
        "Sections, symbols and numbers are the paper's. “Notes and sources” of a claim has the rule that judges it.",
      ),
    );
    /* Sections are closed until something is looked for: a claim is found in two steps. */
    function draw() {
      for (const button of buttons)
        button.setAttribute("aria-pressed", String(button.dataset.verdict === show.verdict));
      const found = rows.filter(
        (row) =>
          (show.verdict === "all" || row.verdict === show.verdict) &&
          `${row.statement} ${row.note} ${row.id}`.toLowerCase().includes(show.text),
      );
      const some = found.length < rows.length;
      const group = (section) => {
        const own = found.filter((row) => row.section === section);
        const line = [el("b", {}, named(section, own)), el("small", {}, tally(own))];
        return own.length
          ? folded("section", line, () => claims(own), some && found.length <= OPEN_AT_MOST)
          : null;
      };
      const none = el("p", {}, "No claim matches.");
      body.replaceChildren(
        ...(found.length ? sections.map(group).filter((g) => g !== null) : [none]),
      );
    }
    at = () => show.text || (show.verdict === "all" ? "" : show.verdict);
    goTo = (text) => {
      const isVerdict = text in MARKS;
      Object.assign(show, { verdict: isVerdict ? text : "all", text: isVerdict ? "" : text });
      search.value = show.text;
      draw();
    };
    draw();
  }
  function finding() {
    const { rows } = LN.data.ledger;
    const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
    const counts = [`${count("reproduced")} are reproduced`, `${count("differs")} differ`];
    if (count("not run")) counts.push(`${count("not run")} are not run`);
    return `Of ${rows.length} claims ${counts.slice(0, -1).join(", ")} and ${counts.at(-1)}.`;
  }
  LN.panels.push({
    name: "ledger",
    title: "The paper's claims, one by one",
    short: "Ledger",
    chapter: "The paper",
    command: "novelty ledger",
    data: ["ledger"],
    lead: "Does the paper hold up? Every number and statement in it, beside our results, which were made from the text of the paper alone.",
    finding,
    build,
    at: () => at(),
    goTo: (text) => goTo(text.toLowerCase()),
  });
})();
