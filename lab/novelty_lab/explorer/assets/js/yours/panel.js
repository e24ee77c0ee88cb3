"use strict";
/* Your data: a plain CSV is read and scored in this page, as `novelty score` does. */
(() => {
  const { el } = LN;
  const { note, answer } = LN.yours;
  const LARGEST = 5_000_000;
  const [MOST_ROWS, MOST_NUMBERS] = [20_000, 1_000_000];
  const ENDINGS = [".csv", ".tsv", ".txt"];
  const MANY = 60;

  const state = {
    file: new File([], ""),
    /** @type {any} */
    table: null,
    /** @type {string[]} */
    roles: [],
    isSeries: false,
  };
  /** @type {null | (() => void)} */
  let cancel = null;

  const limits = () => [
    `A table in plain text (${ENDINGS.join(", ")}), separated by commas, semicolons or tabs, with decimal points; at most ${LARGEST / 1e6} MB and ${LN.number(MOST_ROWS, 0)} rows. The file is read and scored in this page, and sent nowhere. Larger files and other formats: `,
    el("code", {}, "novelty score FILE"),
    ".",
  ];

  function build(root) {
    const out = el("div", { "aria-live": "polite", class: "answer" });
    const form = el("form", {
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        score();
      },
    });
    const say = (text) => out.replaceChildren(note(text));
    root.append(zone(), form, out);

    function zone() {
      const pick = el("input", {
        type: "file",
        accept: ENDINGS.join(","),
        onchange: () => take(pick.files?.[0]),
      });
      const sample = LN.yours.sample();
      const tried = el(
        "button",
        { type: "button", onclick: () => take(sample) },
        "Try a sample: simulated pendulums",
      );
      const box = el(
        "div",
        { class: "drop" },
        el("label", {}, el("b", {}, "Drop a file here, or choose one"), pick),
        el("small", {}, limits()),
        el(
          "div",
          { class: "controls" },
          tried,
          el("a", { href: URL.createObjectURL(sample), download: sample.name }, "Save the sample"),
        ),
      );
      for (const kind of ["dragenter", "dragover"])
        box.addEventListener(kind, (event) => {
          event.preventDefault();
          box.classList.add("over");
        });
      // A file that misses the zone would be opened in place of the page.
      for (const kind of ["dragover", "drop"])
        addEventListener(kind, (event) => event.preventDefault());
      box.addEventListener("dragleave", () => box.classList.remove("over"));
      box.addEventListener("drop", (event) => {
        event.preventDefault();
        box.classList.remove("over");
        take(event.dataTransfer?.files[0]);
      });
      return box;
    }

    /* Work in progress, with its time, a share of it, and a way to end it. */
    async function busy(text, work) {
      const told = el("span");
      const bar = el("progress", { max: 1, "aria-label": text });
      const start = performance.now();
      const tell = () => {
        told.textContent = `${text}… ${Math.round((performance.now() - start) / 1000)} s`;
      };
      let isOver = false;
      const stop = el("button", { type: "button", onclick: () => cancel?.() }, "Cancel");
      out.replaceChildren(el("p", { class: "busy" }, told, bar, stop));
      tell();
      const timer = setInterval(tell, 500);
      const job = work((share) => {
        if (share < 1) bar.value = share;
        else bar.removeAttribute("value");
      });
      const cancelled = new Promise((resolve) => {
        cancel = () => {
          isOver = true;
          job.stop();
          resolve(null);
        };
      });
      try {
        const found = await Promise.race([job.found, cancelled]);
        if (isOver) say("cancelled");
        else return found;
      } catch (thrown) {
        const error = /** @type {Error} */ (thrown);
        if (isOver) say("cancelled");
        else say(error.message);
      } finally {
        clearInterval(timer);
        cancel = null;
      }
      return null;
    }

    /** @param {File | undefined} file */
    async function take(file) {
      if (!file) return;
      cancel?.();
      form.hidden = true;
      out.replaceChildren();
      if (file.size > LARGEST) {
        say(
          `expected a file of at most ${LARGEST / 1e6} MB; score larger ones in a terminal with novelty score`,
        );
        return;
      }
      const ending = `.${file.name.split(".").pop()?.toLowerCase()}`;
      if (!ENDINGS.includes(ending)) {
        say(`expected a file ending in ${ENDINGS.join(", ")}, got ${LN.visible(file.name)}`);
        return;
      }
      try {
        await read(file);
      } catch (thrown) {
        const error = /** @type {Error} */ (thrown);
        if (!(error instanceof LN.tables.Refusal)) throw error;
        say(error.message);
      }
    }
    async function read(file) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const table = LN.tables.read(bytes, file.name);
      if (table.rows > MOST_ROWS) {
        say(
          `expected at most ${LN.number(MOST_ROWS, 0)} rows here, got ${LN.number(table.rows, 0)}; score them in a terminal with novelty score`,
        );
        return;
      }
      Object.assign(state, { file, table, roles: LN.tables.usualRoles(table) });
      out.replaceChildren();
      state.isSeries = state.roles.filter(Boolean).length < 2;
      offer();
    }

    /* What a row is, what is done about gaps, and the part of every column. */
    function offer() {
      const { table, isSeries } = state;
      const measured = state.roles.length;
      const choice = (value, text) =>
        el(
          "label",
          {},
          el("input", {
            type: "radio",
            name: "rows",
            value: value ? "time" : "samples",
            checked: isSeries === value,
            disabled: !value && measured < 2,
            onchange: () => {
              state.isSeries = value;
              arrange();
            },
          }),
          text,
        );
      const steps = el(
        "div",
        { class: "controls" },
        el("label", {}, "Steps ahead, τ", number("window", 8)),
        el("label", {}, "Past steps used", number("history", 4)),
      );
      const columns = el("div");
      form.replaceChildren(
        el("h3", {}, LN.visible(state.file.name)),
        el(
          "p",
          { class: "where" },
          `${LN.number(table.rows, 0)} rows, ${LN.count(state.roles.length, "column")}. Gaps of inputs are filled and marked; rows with a gap in a target are left out.`,
        ),
        el(
          "fieldset",
          {},
          el("legend", {}, "What is a row?"),
          choice(false, "a sample: predict the targets from the inputs"),
          choice(true, "a moment in time: predict the next rows from the past rows"),
        ),
        steps,
        columns,
        el("button", { type: "submit", class: "primary" }, "Score"),
      );
      function arrange() {
        steps.hidden = !state.isSeries;
        const { roles } = state;
        if (state.isSeries)
          state.roles.forEach((role, k) => {
            if (role === "target") roles[k] = "input";
          });
        else if (!roles.includes("target")) {
          const last = roles.lastIndexOf("input");
          if (last > 0) roles[last] = "target";
        }
        draw();
      }
      function draw() {
        const options = { isSeries: state.isSeries, change: draw };
        columns.replaceChildren(
          ...(roles().length <= MANY ? [LN.yours.columnTable(table, roles(), options)] : [wide()]),
        );
      }
      const roles = () => state.roles;
      /* Of many columns one is the target, and all others that can be are inputs. */
      function wide() {
        const names = table.columns.map((column) => column.name);
        return LN.select(
          `Target, of ${names.length} columns`,
          names.map((name, i) => [i, LN.visible(name)]),
          state.roles.indexOf("target"),
          (at) => {
            state.roles = state.roles.map((role, i) => {
              if (i === +at) return "target";
              return role === "target" ? "input" : role;
            });
          },
        );
      }
      arrange();
      form.hidden = false;
    }
    const number = (name, value) =>
      el("input", { type: "number", name, min: 1, max: 1000, value, required: true });
    const steps = (name) =>
      +(/** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value);
    async function score() {
      const { roles, isSeries } = state;
      if (!roles.includes("input") || (!isSeries && !roles.includes("target"))) {
        say(isSeries ? "choose a column" : "choose at least one input and one target");
        return;
      }
      const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
      button.disabled = true;
      try {
        const found = await scoreHere();
        if (!found) return;
        out.replaceChildren(...answer(found));
        out.scrollIntoView({ block: "start", behavior: LN.still ? "auto" : "smooth" });
      } catch (thrown) {
        const error = /** @type {Error} */ (thrown);
        if (!(error instanceof LN.tables.Refusal)) throw error;
        say(error.message);
      } finally {
        button.disabled = false;
      }
    }
    const named = (role) =>
      state.table.columns
        .filter((_, k) => state.roles[k] === role)
        .map((column) => LN.visible(column.name));

    async function scoreHere() {
      const { table, roles, isSeries } = state;
      const chosen = LN.tables.choose(table, roles, isSeries);
      const windows = isSeries ? { window: steps("window"), history: steps("history") } : {};
      const laid = isSeries ? steps("window") + steps("history") : 1;
      const size = chosen.rows * (chosen.inputs.length + chosen.targets.length) * laid;
      if (size > MOST_NUMBERS)
        LN.tables.refuse(
          `expected at most ${LN.number(MOST_NUMBERS, 0)} numbers in all windows here, got ${LN.number(size, 0)}; choose fewer columns or steps, or score them in a terminal with novelty score`,
        );
      const request = {
        inputs: chosen.inputs,
        ...(isSeries ? {} : { targets: chosen.targets }),
        ...windows,
      };
      const found = await busy("Scoring", (progress) => ({
        found: LN.observer.score(request, progress),
        stop: LN.observer.stop,
      }));
      if (!found) return null;
      const [inputs, targets] = [named("input"), named("target")];
      return {
        ...found,
        verdict: LN.yours.verdict(found, inputs, targets),
        rows: LN.yours.rows(found),
        inputs,
        targets: isSeries ? inputs : targets,
        notes: chosen.notes,
        observer: `An MLP of four layers, ${found.draws} draws, ridge by evidence. The command line reads tables with an observer of their own, which often explains more.`,
      };
    }
  }

  LN.panels.push({
    name: "yours",
    title: "Your data",
    chapter: "Your numbers",
    lead: "Is there learnable structure in your own file, beyond chance? The answer is one sentence, followed by the numbers.",
    build,
  });
})();
