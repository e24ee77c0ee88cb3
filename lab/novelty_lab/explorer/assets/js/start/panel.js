"use strict";
/* The first tab: a series, its bits while it is drawn, and what noise does to them. */
(() => {
  const { el } = LN;
  const { presets, withNoise, spread, sketch, scores, sentences, percent, cut } = LN.start;
  const MOST_NOISE = 3;

  /* What is shown: the series without noise, the share of noise, and the seed of both. */
  const state = { name: "both", base: new Float64Array(0), share: 0.5, seed: 1, isOwn: false };
  /** @type {Scored | null} */
  let latest = null;
  let line;
  let runner;
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
      card("denoised", "Denoised bits", "what noise could not have made"),
      card("raw", "Raw bits", "the paper’s score, noise included"),
      card("held", "Held-out variance", "predicted of values not seen"),
    );
    const show = (found) => {
      const rows = () => el("small", { class: "under" }, LN.rows(found.num_samples));
      const put = (key, bits) =>
        value[key].replaceChildren(LN.number(bits, 1), el("small", {}, " bits"), rows());
      put("denoised", found.denoised_bits);
      put("raw", found.bits);
      value.held.replaceChildren(percent(found.held_out_variance));
    };
    return { node, show };
  }

  function sweepChart() {
    /** @returns {Series[]} */
    const series = (points) => [
      {
        name: "raw bits",
        colour: "red",
        points: points.map(([x, raw]) => [100 * x, raw]),
        dots: "joined",
      },
      {
        name: "denoised bits",
        colour: "blue",
        points: points.map(([x, , clean]) => [100 * x, clean]),
        dots: "joined",
        width: 3,
      },
    ];
    const axis = (points) => ({
      label: "bits",
      domain: [0, 1.08 * Math.max(5, ...points.flatMap(([, raw, clean]) => [raw, clean]))],
    });
    const chart = LN.charts.lines({
      label: "Bits by added noise",
      empty: "It follows when the line rests.",
      height: 250,
      x: { label: "noise added, % of the series’ deviation", domain: [0, 100 * MOST_NOISE] },
      y: axis([]),
      series: series([]),
      mark: 100 * state.share,
    });
    const caption = el("span", {}, "The dashed line is where the slider is.");
    const show = (points) => {
      chart.update({ series: series(points), y: axis(points) });
      const equal = points.find(([x]) => x === 1);
      if (equal) caption.textContent = LN.start.swept(points[0], equal);
    };
    return {
      node: chart.node,
      caption,
      show,
      mark: (share) => chart.update({ mark: 100 * share }),
    };
  }

  function build(root) {
    const told = el("ol", { class: "told", "aria-live": "polite" });
    const python = el("code");
    const numbers = cards();
    const sweep = sweepChart();
    runner = scores({
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
      swept: sweep.show,
      refused: (text) => say(text),
    });
    const note = el("p", { class: "note", role: "alert", hidden: true });
    const say = (text) => {
      note.hidden = !text;
      note.textContent = text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "";
    };

    line = sketch((values, isDone) => {
      // What is drawn is taken as it is: noise on top would move the line away from the pen.
      Object.assign(state, { base: values, isOwn: true });
      setShare(0);
      press("");
      say("");
      runner.score(values, values, state.seed);
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
        runner.score(shown(), null, state.seed);
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
      sweep.mark(value);
    }
    const shown = () => withNoise(state.base, state.share, state.seed);
    function take(values, noiseShare) {
      state.base = values;
      setShare(noiseShare);
      say("");
      line.show(shown());
      runner.score(shown(), values, state.seed);
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
    const tapping = tap((intervals) => {
      press("heart");
      take(intervals, 0);
    });
    const heart = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        "data-name": "heart",
        onclick: () => {
          press("heart");
          tapping.open();
        },
      },
      "Your heartbeat",
    );
    const press = (name) => {
      state.name = name;
      for (const button of [...buttons, heart])
        button.setAttribute("aria-pressed", String(button.dataset.name === name));
      if (name !== "heart") tapping.close();
    };
    function choose(preset, noiseShare = preset.noise) {
      state.isOwn = false;
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
      el("div", { class: "controls", role: "group", "aria-label": "Examples" }, buttons, heart),
      tapping.node,
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
          told,
          paste((values) => {
            press("");
            take(values, 0);
          }, say),
        ),
        el(
          "div",
          {},
          numbers.node,
          LN.figure(
            [el("h3", {}, "What noise does to this series"), sweep.node],
            sweep.caption,
            "In the paper: S^φ = ½ log₂ det(I + W W′) with λ = 0.1.",
          ),
        ),
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

  /* Taps of a key or a finger: the times between them are the series, in milliseconds. */
  function tap(take) {
    /** @type {number[]} */
    let times = [];
    const count = el("span", { role: "status" });
    const tell = () => {
      const left = LN.start.FEWEST + 1 - times.length;
      count.textContent =
        left > 0
          ? `${LN.count(left, "more tap")} to the first score`
          : `${LN.count(times.length, "tap")}; go on, more taps tell more`;
    };
    const beat = () => {
      times.push(performance.now());
      tell();
      if (times.length > LN.start.FEWEST) {
        const intervals = Float64Array.from(times.slice(1), (time, i) => time - times[i]);
        take(intervals);
      }
    };
    const button = el(
      "button",
      {
        type: "button",
        class: "primary beat",
        onpointerdown: beat,
        onkeydown: (event) => {
          if (event.key !== " " && event.key !== "Enter") return;
          event.preventDefault();
          if (!event.repeat) beat();
        },
        onkeyup: (event) => event.key === " " && event.preventDefault(),
      },
      "Tap",
    );
    const node = el(
      "div",
      { class: "controls tapping", hidden: true },
      button,
      el(
        "p",
        {},
        "Feel your pulse and tap the space bar, or this button, with every beat. ",
        count,
      ),
    );
    return {
      node,
      open: () => {
        times = [];
        tell();
        node.hidden = false;
        button.focus();
      },
      close: () => {
        node.hidden = true;
      },
    };
  }

  Object.assign(LN.start, {
    latest: () => latest,
    isResting: () => runner.isResting(),
    series: () => withNoise(state.base, state.share, state.seed),
    spread,
  });
  LN.panels.push({
    name: "start",
    title: "How much is there to learn?",
    short: "Start",
    lead: "Draw a line, or take an example. A small network with random weights reads the series and tries to predict what comes next; the score says how much it has learned, in bits.",
    build,
    at: () =>
      presets.some(({ name }) => name === state.name)
        ? `${state.name}/${Math.round(100 * state.share)}`
        : "",
    goTo: (text) => goTo(text),
    theme: () => line.draw(),
  });
})();
