"use strict";
/* Your data: send a file to the local server, which scores it as `novelty score` does. */
(() => {
  const { el } = LN;
  const ROLES = [
    ["input", "input"],
    ["target", "target"],
    ["", "leave out"],
  ];
  const MANY = 60;
  const sentence = (text) =>
    text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
  const note = (text) => el("p", { class: "note", role: "alert" }, sentence(text));

  function local(root) {
    root.append(
      el(
        "p",
        { class: "note" },
        "This page was exported, so it cannot score files. On your own machine:",
      ),
      el(
        "pre",
        {},
        el(
          "code",
          {},
          "novelty explore                                 # this page, with an upload here\nnovelty score data.csv --targets yield          # rows are samples\nnovelty score series.csv --window 8 --history 4 # rows are time",
        ),
      ),
    );
  }
  /* Send a file, telling how much is up; answers and refusals come back as JSON. */
  const send = (path, file, options, progress) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${path}?${new URLSearchParams({ name: file.name, ...options })}`);
      request.upload.onprogress = (event) => progress(event.loaded / event.total);
      request.onload = () => {
        try {
          resolve(JSON.parse(request.responseText));
        } catch {
          reject(new Error());
        }
      };
      request.onerror = () => reject(new Error());
      request.send(file);
    });

  function answer(found) {
    const p = found.p_value === null ? "—" : String(+found.p_value.toPrecision(3));
    const values = found.spectrum.filter((v) => v > 1e-12);
    const told = values.slice(0, MANY);
    const spectrum = LN.charts.bars({
      label: "Spectrum of the readout",
      height: 260,
      y: "singular value of W",
      x: "direction, strongest first",
      bars: told.map((v, i) => ({
        key: i + 1,
        name: String(i + 1),
        value: v,
        colour: "blue",
        text: `direction ${i + 1}\nsingular value ${+v.toPrecision(4)}`,
      })),
    });
    const error = found.bits_se === null ? "" : `± ${LN.number(found.bits_se, 2)} `;
    return [
      el("p", { class: "finding" }, sentence(found.verdict)),
      LN.stats([
        ["learnable novelty", LN.number(found.bits, 2), `${error}bits`],
        ["floor: score of the residuals", LN.number(found.floor_bits, 2), "bits"],
        ["excess over the floor", LN.number(found.excess_bits, 2), "bits"],
        ["p-value", p],
      ]),
      el(
        "div",
        { class: "split" },
        LN.figure(
          [
            el("h3", {}, "In numbers"),
            LN.table(
              ["quantity", "value", "meaning"],
              found.rows.map((row) => ({ cells: row })),
              (i) => i === 1,
            ),
          ],
          `${found.inputs.join(", ")} → ${found.targets.join(", ")}. Bits alone are no evidence: read the excess over the floor, and the p-value (how often chance alone scores as high).`,
          `In the paper: S^φ = ½ log₂ det(I + η W W′). ${found.observer}`,
        ),
        LN.figure(
          [el("h3", {}, "Spectrum"), spectrum.node],
          `How many independent directions of the targets were learned; the height of a bar is how strongly the inputs predict that direction.${values.length > told.length ? ` The strongest ${told.length} of ${values.length} are shown.` : ""}`,
          "In the paper: the singular values of the readout W.",
        ),
      ),
    ];
  }

  function build(root) {
    if (!LN.data.index.served) {
      local(root);
      return;
    }
    const most = LN.data.index.largest;
    const out = el("div", { "aria-live": "polite", class: "answer" });
    const state = {
      file: new File([], ""),
      names: /** @type {string[]} */ ([]),
      roles: /** @type {string[]} */ ([]),
    };
    const pick = el("input", {
      type: "file",
      accept: ".csv,.tsv,.npy",
      onchange: () => take(pick.files?.[0]),
    });
    const zone = el(
      "div",
      { class: "drop" },
      el("label", {}, el("b", {}, "Drop a file here, or choose one"), pick),
      el("small", {}, `.csv, .tsv or .npy; at most ${most / 1e6} MB. It stays on this machine.`),
    );
    for (const kind of ["dragenter", "dragover"])
      zone.addEventListener(kind, (event) => {
        event.preventDefault();
        zone.classList.add("over");
      });
    // A file that misses the zone would be opened in place of the page.
    for (const kind of ["dragover", "drop"])
      addEventListener(kind, (event) => event.preventDefault());
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      take(event.dataTransfer?.files[0]);
    });
    const form = el("form", {
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        score();
      },
    });
    root.append(zone, form, out);

    /* Work in progress, with its time; a share shows while it goes up. */
    async function busy(text, work) {
      const told = el("span");
      const bar = el("progress");
      const start = performance.now();
      const tell = () => {
        told.textContent = `${text}… ${Math.round((performance.now() - start) / 1000)} s`;
      };
      out.replaceChildren(el("p", { class: "busy" }, told, bar));
      tell();
      const timer = setInterval(tell, 500);
      try {
        const found = await work((share) => {
          if (share < 1) bar.value = share;
          else bar.removeAttribute("value");
        });
        if (found.error) {
          out.replaceChildren(note(found.error));
          return null;
        }
        return found;
      } catch {
        out.replaceChildren(note("the server did not answer; is novelty explore still running?"));
        return null;
      } finally {
        clearInterval(timer);
      }
    }
    /** @param {File | undefined} file */
    async function take(file) {
      if (!file) return;
      form.hidden = true;
      if (file.size > most) {
        out.replaceChildren(
          note(
            `expected a file of at most ${most / 1e6} MB; score larger ones in a terminal with novelty score`,
          ),
        );
        return;
      }
      const found = await busy("Reading", (progress) => send("/api/columns", file, {}, progress));
      if (!found) return;
      Object.assign(state, {
        file,
        names: found.columns,
        roles: found.columns.map((_, i) =>
          i && i === found.columns.length - 1 ? "target" : "input",
        ),
      });
      out.replaceChildren();
      offer();
    }
    /* A column by its name, quoted as in CSV, or by its number if another has the same name. */
    const called = (i) => {
      const name = state.names[i];
      const clear = name && state.names.indexOf(name) === i;
      return clear ? `"${name.replaceAll('"', '""')}"` : String(i);
    };
    const chosen = (role) =>
      state.names
        .map((_, i) => i)
        .filter((i) => state.roles[i] === role)
        .map(called)
        .join(",");
    let time;
    let windowBox;
    let historyBox;
    function offer() {
      const one = state.names.length === 1;
      time = el("input", {
        type: "radio",
        name: "rows",
        value: "time",
        checked: one,
        onchange: arrange,
      });
      const samples = el("input", {
        type: "radio",
        name: "rows",
        value: "samples",
        checked: !one,
        disabled: one,
        onchange: arrange,
      });
      windowBox = el("input", { type: "number", min: 1, max: 1000, value: 8, required: true });
      historyBox = el("input", { type: "number", min: 1, max: 1000, value: 4, required: true });
      const steps = el(
        "div",
        { class: "controls" },
        el("label", {}, "Steps ahead, τ", windowBox),
        el("label", {}, "Past steps used", historyBox),
      );
      const columns = el("div", { class: "columns" });
      function arrange() {
        steps.hidden = !time.checked;
        const roles = time.checked ? ROLES.filter(([role]) => role !== "target") : ROLES;
        if (time.checked)
          state.roles = state.roles.map((role) => (role === "target" ? "input" : role));
        else if (!state.roles.includes("target")) state.roles[state.roles.length - 1] = "target";
        columns.replaceChildren(
          ...(state.names.length <= MANY
            ? state.names.map((name, i) =>
                LN.select(LN.visible(name), roles, state.roles[i], (role) => {
                  state.roles[i] = role;
                }),
              )
            : [
                LN.select(
                  `Target, of ${state.names.length} columns`,
                  state.names.map((name, i) => [i, LN.visible(name)]),
                  state.roles.indexOf("target"),
                  (at) => {
                    state.roles = state.roles.map((_, i) => (i === +at ? "target" : "input"));
                  },
                ),
              ]),
        );
        columns.hidden = time.checked && state.names.length > MANY;
      }
      form.replaceChildren(
        el("h3", {}, state.file.name),
        el(
          "fieldset",
          {},
          el("legend", {}, "What is a row?"),
          el("label", {}, samples, "a sample: predict the targets from the inputs"),
          el("label", {}, time, "a moment in time: predict the next rows from the past rows"),
        ),
        steps,
        columns,
        el("button", { type: "submit", class: "primary" }, "Score"),
      );
      arrange();
      form.hidden = false;
    }
    async function score() {
      const options = time.checked
        ? { inputs: chosen("input"), window: windowBox.value, history: historyBox.value }
        : { inputs: chosen("input"), targets: chosen("target") };
      if (!options.inputs || options.targets === "") {
        out.replaceChildren(
          note(time.checked ? "choose a column" : "choose at least one input and one target"),
        );
        return;
      }
      const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
      button.disabled = true;
      const found = await busy("Scoring", (progress) =>
        send("/api/score", state.file, options, progress),
      );
      button.disabled = false;
      if (found) out.replaceChildren(...answer(found));
    }
  }
  LN.panels.push({
    name: "yours",
    title: "Your data",
    lead: "Is there learnable structure in your own file, beyond chance? The answer is one sentence, followed by the numbers.",
    build,
  });
})();
