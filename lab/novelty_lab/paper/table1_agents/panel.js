"use strict";
/* Agents: learning curves of a task with their intervals, and table 1 beside the paper's. */
(() => {
  const { el } = LN;
  const sd = (v) =>
    v.length < 2
      ? null
      : Math.sqrt(v.reduce((a, b) => a + (b - LN.mean(v)) ** 2, 0) / (v.length - 1));
  /* Mean and deviation to the same place: a tenth where the mean is small. */
  const spread = (mean, deviation) =>
    [mean, deviation]
      .filter((v) => v !== null)
      .map((v) => LN.number(v, Math.abs(mean) < 10 ? 1 : 0))
      .join(" ± ");
  const seeds = (n) => LN.count(n, "seed");
  const ours = (task, condition) =>
    (LN.data.agents.tasks[task].ours[condition] || { returns: [] }).returns;

  function cell(task, condition) {
    const values = ours(task, condition);
    const published = LN.data.agents.tasks[task].paper[condition];
    const text = values.length ? spread(LN.mean(values), sd(values)) : "not run";
    return [
      el("b", {}, text),
      el("small", {}, values.length ? seeds(values.length) : "—"),
      el(
        "small",
        {},
        `paper ${published.map((v) => v.toLocaleString("en").replace("-", "−")).join(" ± ")}`,
      ),
    ];
  }
  /* The mean of a condition with its band, and the seeds behind it if they are asked for. */
  function series(task, condition, each) {
    const runs = LN.data.agents.tasks[task].ours[condition];
    const { name: bonus, colour, dashed: dash } = LN.data.agents.conditions[condition];
    if (!runs?.steps) return [];
    const name = `${bonus}, ${seeds(runs.curves.length)}`;
    const mean = {
      name,
      colour,
      dash,
      width: 2.4,
      points: runs.steps.map((step, k) => [step, runs.mean[k]]),
      band:
        !each && runs.band
          ? runs.steps.map((step, k) => [step, runs.band[0][k], runs.band[1][k]])
          : null,
    };
    const single =
      each && runs.curves.length > 1
        ? runs.curves.map((points) => ({
            name,
            colour,
            unnamed: true,
            width: 1,
            faint: true,
            points,
          }))
        : [];
    return [...single, mean];
  }
  function references(task, conditions) {
    const { tasks, conditions: looks } = LN.data.agents;
    return conditions
      .filter((c) => tasks[task].paper[c])
      .map((condition) => {
        const [mean, spread] = tasks[task].paper[condition];
        const { name, colour } = looks[condition];
        return { name: `paper, ${name}: mean ± sd of ten seeds`, mean, sd: spread, colour };
      });
  }

  let at = () => "";
  /** @type {(text: string) => boolean | undefined} */
  let goTo = () => false;
  function build(root) {
    const { tasks, conditions, columns } = LN.data.agents;
    const run = Object.keys(conditions).filter((c) =>
      Object.keys(tasks).some((t) => ours(t, c).length),
    );
    // A task with a rare reward: without a bonus most agents never find it.
    const first = tasks.MountainCarContinuous ? "MountainCarContinuous" : Object.keys(tasks)[0];
    const state = { task: first, each: false };
    const mark = el(
      "li",
      {},
      el("span", { class: "diamond" }, "◆"),
      "the paper’s mean ± sd of ten seeds, after training",
    );
    const chart = LN.charts.lines({
      label: "Learning curves",
      series: [],
      height: 360,
      extra: [mark],
      x: { label: "environment steps" },
      y: { label: "task return, points" },
    });
    const heading = el("h3");
    const holder = el("div");
    const pick = LN.select(
      "Task",
      Object.keys(tasks).map((t) => [t, t]),
      state.task,
      (t) => choose(t),
    );
    const view = LN.select(
      "Show",
      [
        ["mean", "mean and 95% interval"],
        ["each", "mean and every seed"],
      ],
      "mean",
      (kind) => {
        state.each = kind === "each";
        choose(state.task);
      },
    );
    function choose(task) {
      state.task = task;
      LN.selected(pick, task);
      heading.textContent = task;
      const there = run.filter((c) => ours(task, c).length);
      chart.update({
        series: there.flatMap((c) => series(task, c, state.each)),
        references: references(task, there),
      });
      for (const row of /** @type {NodeListOf<HTMLElement>} */ (
        holder.querySelectorAll("tbody tr")
      )) {
        const is = row.dataset.key === task;
        row.classList.toggle("chosen", is);
        row.querySelector("button")?.setAttribute("aria-pressed", String(is));
      }
      LN.changed();
    }
    goTo = (text) => {
      const same = (task) => task.toLowerCase() === text.toLowerCase();
      const task = text ? Object.keys(tasks).find(same) : first;
      if (!task) return false;
      choose(task);
    };
    at = () => state.task;
    holder.append(
      LN.table(
        ["task", ...columns.map((c) => conditions[c].name)],
        Object.keys(tasks).map((task) => ({
          key: task,
          cells: [
            el("button", { type: "button", onclick: () => choose(task) }, task),
            ...columns.map((c) => cell(task, c)),
          ],
        })),
        (i) => i > 0,
        true,
      ),
    );
    root.append(
      el("div", { class: "controls" }, pick, view),
      LN.figure(
        [heading, chart.node],
        "Task return during training, without the bonus. Lines: mean over seeds; shaded: 95% bootstrap interval of that mean (too narrow for few seeds, none for a single one). The agent explores during training, so a curve can end at another level than the table, which is measured after training.",
        "In the paper: task return in training, PPO, 600,000 steps; diamonds are its table 1.",
      ),
      LN.figure(
        holder,
        "Task return after training: mean ± standard deviation over seeds, the number of seeds, and below it the paper’s values over ten seeds. Few seeds give wide intervals: see the ledger. Choose a task to see its curves.",
        "In the paper: table 1; epiplexity is S^φ, and its increase ξ at each step is the bonus.",
      ),
    );
    choose(state.task);
  }
  function finding() {
    const { tasks } = LN.data.agents;
    const both = Object.keys(tasks).filter(
      (t) => ours(t, "task").length && ours(t, "task+epiplexity").length,
    );
    const better = both.filter(
      (t) => LN.mean(ours(t, "task+epiplexity")) > LN.mean(ours(t, "task")),
    );
    const said = Object.keys(tasks).filter(
      (t) => tasks[t].paper["task+epiplexity"][0] > tasks[t].paper.task[0],
    );
    const sizes = both.flatMap((t) => [ours(t, "task").length, ours(t, "task+epiplexity").length]);
    return both.length
      ? `With the bonus the mean return is higher on ${better.length} of ${both.length} tasks here (${LN.range(sizes, 0)} seeds each), and on ${said.length} of ${Object.keys(tasks).length} in the paper; the intervals show that some of these differences are within chance.`
      : "";
  }
  LN.panels.push({
    name: "agents",
    title: "Agents paid for learnable novelty",
    short: "Agents",
    command: "novelty run rl-table",
    data: ["agents"],
    lead: "Control tasks, from a pendulum to a walking robot. Does an agent learn its task better with a bonus for making its own future learnable?",
    finding,
    build,
    at: () => at(),
    goTo: (text) => goTo(text),
  });
})();
