"use strict";
/* A part of the agents' panel: which bonus finds the goal of a maze beside a noisy television. */
(() => {
  const { el } = LN;

  function build(root) {
    const { worlds, rows, reached, default: paid, none } = LN.data.explore;
    const reaches = (finals) => finals.filter((final) => final >= reached).length;
    const inNoise = ({ finals }) => reaches(finals[1]);
    const cell = (finals) =>
      `${LN.number(LN.mean(finals), 2)} (${reaches(finals)} of ${finals.length})`;
    const sorted = rows.toSorted((a, b) => LN.mean(b.finals[1]) - LN.mean(a.finals[1]));
    const own = rows.find((row) => row.bonus === paid);
    const others = rows.filter(({ bonus }) => bonus !== paid && bonus !== none);
    const found = others.filter((row) => inNoise(row) > 0);
    root.append(
      LN.figure(
        [
          el("h3", {}, "A maze with a noisy television"),
          own
            ? el(
                "p",
                { class: "finding" },
                `With the default bonus, foresight, ${inNoise(own)} of ${LN.count(own.finals[1].length, "agent")} learn to reach the goal beside the television; of the ${others.length} other bonuses ${found.length || "none"} led any agent there.`,
              )
            : null,
          LN.table(
            ["paid by", ...worlds],
            sorted.map(({ name, bonus, finals }) => ({
              mark: bonus === paid ? "chosen" : null,
              cells: [bonus === paid ? `${name} (default)` : name, ...finals.map(cell)],
            })),
            (i) => i > 0,
            true,
          ),
        ],
        `A maze of four rooms, with a reward at its end only (MultiRoom-N4-S5, 800,000 steps). In the second column a part of the picture is noise. Mean return of the last tenth of the training, and in parentheses how many agents end at ${reached} or more. The noise is new at every step; noise that stays for some steps is harder, and not shown here.`,
        "Ours; the paper describes the noisy television in words.",
      ),
    );
  }
  LN.parts.push({ panel: "agents", data: ["explore"], build });
})();
