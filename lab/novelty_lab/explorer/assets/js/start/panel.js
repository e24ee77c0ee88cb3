"use strict";
/* The first tab: a series, and its score while it is drawn. */
(() => {
  const { el } = LN;
  const { presets, withNoise, spread, sketch, scores, sentences, cut } = LN.start;
  const { percent, pText } = LN.yours;
  const MOST_NOISE = 3;

  /* What is shown: the series without noise, the share of noise, and the seed of both. */
  const state = { name: "both", base: presets[1].make(1), share: 0.5, seed: 1 };
  /** @type {Scored | null} */
  let latest = null;
  let line;
  let score;
  let goTo;

  function cards() {
    const value = {};
    const card = (key, name, meaning) => {
      value[key] = el("dd", {}, "…");
      return el(
        "div",
        { class: `card-${key}` },
        el("dt", {}, el("b", {}, name), el("small", {}, meaning)),
        value[key],
      );
    };
    const node = el(
      "dl",
      { class: "stats three" },
      card("held", "Held-out variance", "predicted of values not seen"),
      card("chance", "Chance", "p-value of a permutation test"),
      card("raw", "Raw bits", "the paper’s score, noise included"),
    );
    const show = (found) => {
      const rows = el("small", { class: "under" }, LN.rows(found.num_samples));
      value.held.replaceChildren(percent(found.held_out_variance));
      const p = found.p_value === null ? "…" : pText(found).replace(/^p (= )?/, "");
      value.chance.replaceChildren(p.replace("<= ", "≤\u00a0"));
      value.raw.replaceChildren(LN.number(found.bits, 1), el("small", {}, " bits"), rows);
    };
    return { node, show };
  }

  function build(root) {
    const told = el("ol", { class: "told", "aria-live": "polite" });
    const python = el("code");
    const numbers = cards();
    score = scores({
      told: (found, isFull) => {
        latest = found;
        numbers.show(found);
        told.setAttribute("aria-busy", String(!isFull));
        const { window, history } = cut(state.base.length);
        python.textContent = `ln.score(series, window=${window}, history=${history}, ridge_penalty=${LN.start.RIDGE}, draws=${LN.start.FULL.draws}, null=${LN.start.FULL.shuffles})`;
        told.replaceChildren(
          ...sentences(found, cut(state.base.length)).map((text) => el("li", {}, text)),
        );
      },
      refused: (text) => say(text),
    });
    const note = el("p", { class: "note", role: "alert", hidden: true });
    const say = (text) => {
      note.hidden = !text;
      note.textContent = text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "";
    };

    line = sketch((values, isDone) => {
      // What is drawn is taken as it is: noise on top would move the line away from the pen.
      state.base = values;
      setShare(0);
      press("");
      say("");
      score(values);
      if (!isDone) return;
      line.show(values);
      LN.changed();
    });
    const noise = el("input", {
      type: "range",
      min: 0,
      max: 100 * MOST_NOISE,
      step: 5,
      value: 100 * state.share,
      id: "start-noise",
      oninput: () => {
        setShare(+noise.value / 100);
        score(shown());
        line.show(shown());
        LN.changed(true);
      },
    });
    const share = el("output", { for: "start-noise" });
    function setShare(value) {
      if (share.textContent && value === state.share) return;
      state.share = value;
      noise.value = String(100 * value);
      share.textContent = `${Math.round(100 * value)}%`;
    }
    const shown = () => withNoise(state.base, state.share, state.seed);
    function take(values, noiseShare) {
      state.base = values;
      setShare(noiseShare);
      say("");
      line.show(shown());
      score(shown());
      LN.changed();
    }

    const buttons = presets.map((preset) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": "false",
          "data-name": preset.name,
          onclick: () => choose(preset),
        },
        preset.text,
      ),
    );
    const press = (name) => {
      state.name = name;
      for (const button of buttons)
        button.setAttribute("aria-pressed", String(button.dataset.name === name));
    };
    function choose(preset, noiseShare = preset.noise) {
      press(preset.name);
      take(preset.make(state.seed), noiseShare);
    }
    /* An example and its noise in percent, such as both/100. */
    goTo = (text) => {
      const [name, percents] = (text || presets[1].name).split("/");
      const preset = presets.find((one) => one.name === name);
      const noiseShare = percents === undefined ? preset?.noise : Number(percents) / 100;
      if (!preset || !(noiseShare >= 0 && noiseShare <= MOST_NOISE)) return false;
      choose(preset, noiseShare);
    };
    const again = el(
      "button",
      {
        type: "button",
        onclick: () => {
          state.seed += 1;
          const preset = presets.find((one) => one.name === state.name);
          take(preset ? preset.make(state.seed) : state.base, state.share);
        },
      },
      "Other random numbers",
    );

    root.append(
      el("div", { class: "controls", role: "group", "aria-label": "Examples" }, buttons),
      note,
      el(
        "div",
        { class: "split even start" },
        el(
          "figure",
          {},
          line.node,
          el(
            "div",
            { class: "slide" },
            el("label", { for: "start-noise" }, "Noise added"),
            noise,
            share,
            again,
          ),
          paste((values) => {
            press("");
            take(values, 0);
          }, say),
        ),
        el("div", {}, numbers.node, told),
      ),
      el(
        "p",
        { class: "where" },
        "All of it is computed in this page, and nothing is sent. The same in Python: ",
        python,
        ".",
      ),
    );
    for (const kind of ["dragenter", "dragover"])
      root.addEventListener(kind, (event) => event.preventDefault());
    root.addEventListener("drop", async (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) useText(await file.text(), take, say);
    });
    choose(presets[1]);
  }

  function useText(text, take, say) {
    const { values, error } = LN.start.parse(text);
    if (error) say(error);
    else take(values, 0);
  }

  /* Numbers that are pasted, or a file of them. */
  function paste(take, say) {
    const box = el("textarea", {
      rows: 3,
      "aria-label": "Numbers, separated by spaces, commas or lines",
      placeholder: "0.1 0.4 0.8 …",
    });
    const file = el("input", {
      type: "file",
      accept: ".txt,.csv,.tsv",
      "aria-label": "A file of numbers",
      onchange: async () => {
        const chosen = file.files?.[0];
        if (chosen) useText(await chosen.text(), take, say);
      },
    });
    return el(
      "details",
      { class: "fold" },
      el("summary", {}, "Use your own numbers: paste them, or drop a file here"),
      box,
      el(
        "div",
        { class: "controls" },
        el(
          "button",
          { type: "button", onclick: () => useText(box.value, take, say) },
          "Use these numbers",
        ),
        file,
      ),
      el(
        "small",
        {},
        `${LN.start.FEWEST} to ${LN.number(LN.start.MOST, 0)} numbers of one series. Tables go to the tab Your data.`,
      ),
    );
  }

  Object.assign(LN.start, {
    latest: () => latest,
    base: () => ({ values: state.base, seed: state.seed }),
    series: () => withNoise(state.base, state.share, state.seed),
    spread,
  });
  LN.panels.push({
    name: "start",
    title: "How much is there to learn?",
    short: "Start",
    chapter: "Your numbers",
    lead: "Draw a line, take an example, or paste numbers of your own. A small network with random weights reads the series and tries to predict what comes next. Three numbers say how much it has learned.",
    build,
    at: () =>
      presets.some(({ name }) => name === state.name)
        ? `${state.name}/${Math.round(100 * state.share)}`
        : "",
    goTo: (text) => goTo(text),
    theme: () => line.draw(),
  });
})();
