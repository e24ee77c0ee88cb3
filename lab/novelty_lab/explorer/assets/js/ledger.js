"use strict";
/* The ledger: every claim of the paper beside what the records hold. */
(() => {
  const { el } = LN;
  const MARKS = { reproduced: "✓", differs: "≠", "not run": "·" };
  const show = { verdict: "all", section: "all", text: "" };

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
  const details = (row) =>
    el(
      "details",
      { open: innerWidth > 700 },
      el("summary", {}, "Notes and sources"),
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
    );

  function build(root) {
    const { rows } = LN.data.ledger;
    const body = el("div", { class: "claims" });
    const counts = {};
    for (const row of rows) counts[row.verdict] = (counts[row.verdict] || 0) + 1;
    const sections = [...new Set(rows.map((row) => row.section))];
    const buttons = ["all", ...Object.keys(MARKS).filter((name) => counts[name])].map((name) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(name === "all"),
          onclick: (event) => {
            show.verdict = name;
            for (const other of buttons)
              other.setAttribute("aria-pressed", String(other === event.currentTarget));
            draw();
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
      },
    });
    root.append(
      el(
        "div",
        { class: "controls" },
        buttons,
        LN.select("Section", [["all", "all"], ...sections.map((s) => [s, s])], "all", (s) => {
          show.section = s;
          draw();
        }),
        el("label", {}, "Search", search),
      ),
      LN.figure(
        body,
        `Each row is a statement of the paper beside our result. A stated rule computes the verdict. “Reproduced”: the two agree within the errors of both, which says little where the errors are large. “Differs”: they do not agree.${counts["not run"] ? " “Not run”: there are no runs, or too few." : ""} Ours is the mean ± standard deviation over runs, with the number of runs in parentheses. A rank is followed by the range of ranks within its error.`,
        "Sections, symbols and numbers are the paper's. Open “rule” under a claim to read how it is judged.",
      ),
    );
    function draw() {
      const found = rows.filter(
        (row) =>
          (show.verdict === "all" || row.verdict === show.verdict) &&
          (show.section === "all" || row.section === show.section) &&
          `${row.statement} ${row.note} ${row.id}`.toLowerCase().includes(show.text),
      );
      body.replaceChildren(
        found.length
          ? LN.table(
              ["Section", "Claim", "Paper", "Ours", "Verdict"],
              found.map((row) => ({
                cells: [
                  row.section,
                  [row.statement, details(row)],
                  value(row.paper),
                  value(row.ours),
                  el(
                    "span",
                    { class: `verdict ${row.verdict.replace(" ", "-")}` },
                    `${MARKS[row.verdict]} ${row.verdict}`,
                  ),
                ],
              })),
              null,
              true,
            )
          : el("p", {}, "No claim matches."),
      );
    }
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
    command: "novelty ledger",
    data: ["ledger"],
    lead: "Does the paper hold up? Every number and statement in it, beside our results, which were made from the text of the paper alone.",
    finding,
    build,
  });
})();
