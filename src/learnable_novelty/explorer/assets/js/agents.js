"use strict";
/* Agents: table 1 beside the paper's, and the learning curves of a task. */
(function () {
  const { el } = LN;
  const COLOURS = ["blue", "red", "green", "orange", "purple", "sky", "black", "grey", "yellow"];
  const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;
  const sd = (v) => (v.length < 2 ? null : Math.sqrt(v.reduce((a, b) => a + (b - mean(v)) ** 2, 0) / (v.length - 1)));
  const digits = (v) => (Math.abs(v) < 10 ? 1 : 0);
  const shown = (v) => LN.number(v, digits(v)).replace("-", "−");

  function build(root) {
    const { tasks, names, columns } = LN.data.agents;
    const conditions = Object.keys(names).filter((c) => Object.values(tasks).some((t) => (t.ours[c] || []).length));
    const state = { task: Object.keys(tasks)[0] };
    const ours = (task, condition) => (tasks[task].ours[condition] || []).map((run) => run.return);
    const cell = (task, condition) => {
      const values = ours(task, condition), [paper, spread] = tasks[task].paper[condition];
      const deviation = sd(values);
      const text = values.length ? shown(mean(values)) + (deviation === null ? "" : ` ± ${shown(deviation)}`) : "not run";
      return [el("b", {}, text), el("small", {}, values.length ? `${values.length} seed${values.length > 1 ? "s" : ""}` : "—"),
        el("small", {}, `paper ${shown(paper)} ± ${shown(spread)}`)];
    };
    const chart = LN.charts.lines({ label: "Learning curves", series: [], height: 340,
      x: { label: "environment steps" }, y: { label: "task return, points" } });
    const heading = el("h3");
    const pick = LN.select("Task", Object.keys(tasks).map((t) => [t, t]), state.task, (t) => choose(t));
    const holder = el("div");
    function choose(task) {
      state.task = task;
      pick.querySelector("select").value = task;
      heading.textContent = task;
      const series = conditions.flatMap((condition, i) => (tasks[task].ours[condition] || []).map((run) => ({
        name: names[condition], colour: COLOURS[i % COLOURS.length], width: 1.6, points: run.curve })));
      chart.update({ series });
      draw();
    }
    function draw() {
      const table = LN.table(["task", ...columns.map((c) => names[c])], Object.keys(tasks).map((task) => ({
        mark: task === state.task ? "chosen" : null,
        cells: [el("button", { type: "button", onclick: () => choose(task) }, task), ...columns.map((c) => cell(task, c))] })), (i) => i > 0);
      holder.replaceChildren(table);
    }
    root.append(el("div", { class: "controls" }, pick),
      LN.figure([heading, chart.node], "How much of the task's own reward the agent earns as it practises; one line per seed. The bonus pays for what is learnable and is not counted here.",
        "In the paper: task return in training, PPO, 600,000 steps."),
      LN.figure(holder, "After training: mean return over seeds ± standard deviation between seeds, the number of seeds, and below it the paper's mean over ten. Few seeds say little: see the ledger.",
        "In the paper: table 1; epiplexity is S^φ, paid step by step."));
    choose(state.task);
  }
  LN.panels.push({ name: "agents", title: "Agents paid for learnable novelty", short: "Agents", command: "novelty run rl-table", data: ["agents"],
    lead: "Ten control tasks. Does an agent learn its task better if it is also paid for making its own future learnable?", build });
})();
