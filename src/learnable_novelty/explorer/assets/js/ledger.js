"use strict";
/* The ledger: every claim of the paper beside what the records hold. */
(function () {
  const { el } = LN;
  const MARKS = { reproduced: "✓", differs: "≠", "not run": "·" };
  const show = { verdict: "all", section: "all", text: "" };

  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? "holds" : "does not hold";
    if (Array.isArray(value)) return value.map(cell).join(", ");
    if (typeof value === "number") return String(+value.toPrecision(4)).replace("-", "−");
    return String(value);
  };
  const spread = (value, sd) => (typeof value === "number" && typeof sd === "number"
    ? `${cell(value)} ± ${cell(+sd.toPrecision(2))}` : cell(value));

  /* Short values stay on one line. */
  const held = (text) => text && el("span", { style: { whiteSpace: text.length < 18 ? "nowrap" : null } }, text);

  const link = (address, text) => (address ? el("a", { href: address, target: "_blank", rel: "noopener" }, text) : null);
  const links = (row) => [link(row.record, "record"), link(row.figure, "figure")];

  function build(root) {
    const { rows } = LN.data.ledger, body = el("div", { class: "claims" });
    const counts = {};
    for (const row of rows) counts[row.verdict] = (counts[row.verdict] || 0) + 1;
    const sections = [...new Set(rows.map((row) => row.section))];
    const buttons = ["all", ...Object.keys(MARKS)].map((name) => el("button", { type: "button",
      "aria-pressed": String(name === "all"), onclick: (event) => {
        show.verdict = name;
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        draw();
      } }, name === "all" ? `All ${rows.length}` : `${MARKS[name]} ${name} ${counts[name] || 0}`));
    const search = el("input", { type: "text", oninput: () => { show.text = search.value.toLowerCase(); draw(); } });
    root.append(el("div", { class: "controls" }, buttons,
      LN.select("Section", [["all", "all"], ...sections.map((s) => [s, s])], "all", (s) => { show.section = s; draw(); }),
      el("label", {}, "Search", search)), LN.figure(body,
      "Each line is a statement of the paper and what our runs gave. The verdict is computed by a stated rule, not chosen; “differs” is a finding, “not run” says that the runs are still missing.",
      "Sections, symbols and numbers are the paper's; docs/ledger.md has the rules."));
    function draw() {
      const found = rows.filter((row) => (show.verdict === "all" || row.verdict === show.verdict)
        && (show.section === "all" || row.section === show.section)
        && (row.statement + " " + row.note + " " + row.id).toLowerCase().includes(show.text));
      body.replaceChildren(found.length ? LN.table(["Section", "Claim", "Paper", "Ours", "Verdict"], found.map((row) => ({ cells: [
        row.section,
        [row.statement, !row.note && !row.command ? null : el("details", { open: innerWidth > 700 }, el("summary", {}, "Notes and sources"),
          row.note ? el("small", {}, row.note) : null, row.command ? el("small", { class: "sources" }, el("code", {}, row.command), ...links(row)) : null)],
        held(spread(row.paper, row.paper_sd)),
        [held(spread(row.ours, row.spread)), row.runs && row.verdict !== "not run" ? el("small", {}, LN.count(row.runs, "run")) : null],
        el("span", { class: "verdict " + row.verdict.replace(" ", "-") }, `${MARKS[row.verdict]} ${row.verdict}`),
      ] })), null, true) : el("p", {}, "No claim matches."));
    }
    draw();
  }
  function finding() {
    const { rows } = LN.data.ledger, count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
    return `Of ${rows.length} claims ${count("reproduced")} came back, ${count("differs")} did not, and ${count("not run")} wait for their runs.`;
  }
  LN.panels.push({ name: "ledger", title: "The paper's claims, one by one", short: "Ledger", command: "novelty ledger", data: ["ledger"],
    lead: "Does the paper hold up? Every number and every statement in it, beside what came out when it was run again from the text alone.", finding, build });
})();
