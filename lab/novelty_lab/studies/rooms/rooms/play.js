"use strict";
/* The corridor to walk in: arrow keys move, and every drive says what it would have paid. */
(() => {
  const { el } = LN;
  const DRIVES = {
    surprise: ["surprise", "bits of the prediction error"],
    "minus surprise": ["minus surprise", "its negative: free energy"],
    progress: ["compression progress", "bits saved on the past"],
    counts: ["counts", "1 / √visits"],
    epiplexity: ["raw bits", "what the step added to the score"],
    excess: ["excess", "raw bits less the floor"],
  };
  const PICTURE = 120; // steps that the picture of the screen goes back
  const RATE = 12; // steps a second when time runs

  const unpacked = (all) =>
    Object.fromEntries(Object.entries(all).map(([name, array]) => [name, LN.unpack(array)]));
  const paidBy = (drive, paid) => (drive === "minus surprise" ? -paid.surprise : paid[drive]);
  const short = (value) => LN.charts.short(+value.toPrecision(3));

  /* A line of bars, one per step, in the colour of the room it was paid in. */
  function drawPayments(canvas, values, colours, length) {
    const ratio = Math.min(2, devicePixelRatio);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((v) =>
      Math.round(v * ratio),
    );
    if (!wide) return;
    if (canvas.width !== wide) [canvas.width, canvas.height] = [wide, high];
    const pen = LN.pen(canvas);
    const low = Math.min(0, ...values);
    const top = Math.max(1e-9, ...values);
    const y = (v) => ((top - v) / (top - low)) * (high - 2) + 1;
    pen.clearRect(0, 0, wide, high);
    for (const [i, value] of values.entries()) {
      const left = Math.floor((i * wide) / length);
      pen.fillStyle = colours[i];
      const [a, b] = [y(value), y(0)].sort((p, q) => p - q);
      pen.fillRect(left, a, Math.max(1, Math.ceil(wide / length)), Math.max(1, b - a));
    }
  }

  LN.rooms.play = () => {
    const data = LN.data.walks;
    const tables = unpacked(data.tables);
    const layers = data.layers.map((layer) => layer.map(LN.unpack));
    const walks = LN.unpack(data.observations);
    const size = data.observations.shape[2];
    const about = Object.fromEntries(LN.data.rooms.rooms.map((room) => [room.key, room]));
    const named = Object.fromEntries(LN.data.rooms.rows.map((row) => [row.drive, row.name]));
    let world = new LN.rooms.Corridor(tables, data.order);
    const parts = { ...data, layers, tables };
    let learner = new LN.rooms.Learner(parts);
    const view = {
      who: "you",
      running: false,
      frame: 0,
      last: 0,
      due: 0,
      cell: 0,
      time: 0,
      seen: /** @type {ArrayLike<number>[]} */ ([]),
      cells: /** @type {number[]} */ ([]),
      paid: /** @type {Record<string, number[]>} */ ({}),
    };
    const roomAt = (cell) =>
      about[data.order[Math.floor((cell * data.order.length) / tables.places.length)]];
    const colourOf = (room) => LN.css(room.colour);
    const recorded = (time) => {
      const from = (data.drives.indexOf(view.who) * (data.length + 1) + time) * size;
      return walks.subarray(from, from + size);
    };
    const cellOf = (place) => {
      let best = 0;
      for (let k = 1; k < tables.places.length; k++)
        if (Math.abs(tables.places[k] - place) < Math.abs(tables.places[best] - place)) best = k;
      return best;
    };

    function take(observation) {
      view.cell = cellOf(observation[0]);
      view.seen.push(observation);
      view.cells.push(view.cell);
      const paid = learner.push(observation);
      for (const drive of Object.keys(DRIVES)) view.paid[drive].push(paidBy(drive, paid));
    }
    function begin() {
      learner = new LN.rooms.Learner(parts);
      const paid = Object.fromEntries(Object.keys(DRIVES).map((drive) => [drive, []]));
      Object.assign(view, { time: 0, seen: [], cells: [], paid });
      if (view.who === "you") {
        world = new LN.rooms.Corridor(tables, data.order);
        take(world.observe());
      } else take(recorded(0));
      draw();
    }
    const over = () => view.time >= data.length;
    function step(move) {
      if (over()) {
        setRunning(false);
        return;
      }
      view.time++;
      take(view.who === "you" ? world.step(move) : recorded(view.time));
    }

    const corridor = el("canvas", {
      class: "corridor",
      tabindex: 0,
      role: "application",
      "aria-label":
        "Corridor of five rooms. Left and right arrow keys walk, down arrow or space stays a step.",
    });
    const screen = el("canvas", {
      class: "pixels screen",
      role: "img",
      "aria-label": "What the walker sees: the screen of the room, time from left to right",
    });
    const status = el("p", { class: "where", role: "status" });
    const rows = Object.entries(DRIVES).map(([drive, [name, meaning]]) => ({
      drive,
      now: el("b"),
      sum: el("span"),
      line: el("canvas", { class: "payments", role: "img", "aria-label": `${name}, step by step` }),
      head: el("span", { class: "name" }, name, el("small", {}, meaning)),
    }));

    function drawCorridor() {
      const ratio = Math.min(2, devicePixelRatio);
      const wide = Math.round(corridor.clientWidth * ratio);
      if (!wide) return;
      const high = Math.round(88 * ratio);
      if (corridor.width !== wide) [corridor.width, corridor.height] = [wide, high];
      const pen = LN.pen(corridor);
      const cells = tables.places.length;
      const cell = wide / cells;
      const each = cells / data.order.length;
      pen.clearRect(0, 0, wide, high);
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      for (const [k, key] of data.order.entries()) {
        const here = roomAt(view.cell).key === key;
        pen.globalAlpha = here ? 1 : 0.55;
        pen.fillStyle = colourOf(about[key]);
        pen.fillRect(k * each * cell + ratio, 0, each * cell - 2 * ratio, high);
        pen.globalAlpha = 1;
        // White on all five colours is read at this size, with a dark rim.
        pen.font = `600 ${Math.min(15 * ratio, each * cell * 0.155)}px system-ui, sans-serif`;
        pen.lineWidth = 3 * ratio;
        pen.strokeStyle = "#000a";
        pen.fillStyle = "#fff";
        const middle = (k + 0.5) * each * cell;
        // In a narrow window a name has a line for each word.
        const words = each * cell < 110 * ratio ? about[key].name.split(" ") : [about[key].name];
        for (const [i, word] of words.entries()) {
          const y = high * (0.25 + 0.16 * (i - (words.length - 1) / 2));
          pen.strokeText(word, middle, y);
          pen.fillText(word, middle, y);
        }
      }
      pen.fillStyle = "#fff6";
      for (let k = 0; k < cells; k++)
        pen.fillRect((k + 0.5) * cell - 1.5 * ratio, high * 0.68, 3 * ratio, 3 * ratio);
      pen.beginPath();
      pen.arc((view.cell + 0.5) * cell, high * 0.68, Math.min(11 * ratio, cell * 0.48), 0, 7);
      pen.fillStyle = "#fff";
      pen.fill();
      pen.lineWidth = 3 * ratio;
      pen.strokeStyle = "#111";
      pen.stroke();
    }
    function drawScreen() {
      const pixels = size - 1;
      screen.width = PICTURE;
      screen.height = pixels + 2;
      const image = new ImageData(PICTURE, screen.height);
      const [ink, card] = [LN.rgb("ink"), LN.rgb("card")];
      const from = Math.max(0, view.seen.length - PICTURE);
      for (let t = from; t < view.seen.length; t++) {
        const room = LN.rgb(roomAt(view.cells[t]).colour);
        for (let y = 0; y < screen.height; y++) {
          const share = y < 2 ? 0 : (view.seen[t][y - 1] + 1.8) / 3.6;
          const t0 = Math.max(0, Math.min(1, share));
          const at = 4 * (y * PICTURE + t - from);
          for (let c = 0; c < 3; c++)
            image.data[at + c] = y < 2 ? room[c] : card[c] + (ink[c] - card[c]) * t0;
          image.data[at + 3] = 255;
        }
      }
      LN.pen(screen).putImageData(image, 0, 0);
    }
    function draw() {
      drawCorridor();
      drawScreen();
      const colours = view.cells.map((cell) => colourOf(roomAt(cell)));
      for (const row of rows) {
        const values = view.paid[row.drive] || [];
        row.now.textContent = short(values.at(-1) || 0);
        row.sum.textContent = short(values.reduce((a, b) => a + b, 0));
        drawPayments(row.line, values, colours, data.length + 1);
      }
      const { name } = roomAt(view.cell);
      const walker = view.who === "you" ? "You are" : "The agent is";
      status.textContent = `Step ${view.time} of ${data.length}. ${walker} at the ${name}.${over() ? " The episode is over." : ""}`;
    }
    function tick(now) {
      view.frame = requestAnimationFrame(tick);
      const passed = Math.min(100, now - view.last);
      view.last = now;
      if (!view.running) return;
      view.due += (passed * RATE * (view.who === "you" ? 1 : 3)) / 1000;
      const steps = Math.floor(view.due);
      view.due -= steps;
      for (let k = 0; k < steps; k++) step(0);
      if (steps) draw();
    }
    const run = el("button", {
      type: "button",
      class: "primary",
      onclick: () => {
        if (over()) begin();
        setRunning(!view.running);
      },
    });
    function setRunning(running) {
      view.running = running;
      view.due = 0;
      run.textContent = running ? "Pause" : view.who === "you" ? "Stay: let time run" : "Watch";
    }
    /* By hand: an agent that is watched is left, and the reader walks. */
    function walk(move) {
      if (view.who !== "you") choose("you");
      step(move);
      draw();
    }
    function choose(who) {
      view.who = who;
      LN.selected(pick, who);
      setRunning(who !== "you" && !LN.still);
      begin();
      LN.changed();
    }
    const pick = LN.select(
      "Who walks",
      [["you", "you"], ...data.drives.map((drive) => [drive, `an agent paid for ${named[drive]}`])],
      "you",
      choose,
    );
    const hand = (text, label, move) =>
      el("button", { type: "button", "aria-label": label, onclick: () => walk(move) }, text);
    corridor.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: 0, " ": 0 }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      walk(move);
    });
    corridor.addEventListener("pointerdown", (event) => {
      const box = corridor.getBoundingClientRect();
      const at = Math.floor(((event.clientX - box.left) / box.width) * tables.places.length);
      walk(Math.sign(at - view.cell));
    });
    setRunning(false);
    const node = LN.figure(
      [
        el("h3", {}, "Walk it yourself"),
        el(
          "div",
          { class: "controls" },
          pick,
          hand("←", "Walk left", -1),
          hand("stay", "Stay a step", 0),
          hand("→", "Walk right", 1),
          run,
          el("button", { type: "button", onclick: begin }, "New episode"),
        ),
        corridor,
        status,
        screen,
        el(
          "div",
          { class: "pay" },
          el("span", { class: "name" }, "What each drive pays"),
          el("span", {}, "this step"),
          el("span", {}, "so far"),
          el("span", {}, "step by step, in the colour of the room"),
          rows.flatMap(({ head, now, sum, line }) => [head, now, sum, line]),
        ),
      ],
      [
        "Click the corridor and use the ",
        el("b", {}, "arrow keys"),
        `; down arrow stays. The picture is your screen, time from left to right. Stay in a room and watch which drives go on paying you. A payment comes ${data.window} steps late, when what followed an observation is known. The numbers are computed here, by the learner of the first trained agent; random network distillation and the intrinsic curiosity module pay by networks trained over many episodes, and are left out.`,
      ],
      "Ours. Surprise, progress, raw bits and excess in bits; the formulas are in the documentation of the rooms.",
    );
    begin();
    LN.onwidth(corridor, draw);
    return {
      node,
      draw,
      step: walk,
      state: () => ({ ...view, world, learner }),
      show: () => {
        cancelAnimationFrame(view.frame);
        view.last = performance.now();
        draw();
        view.frame = requestAnimationFrame(tick);
      },
      hide: () => cancelAnimationFrame(view.frame),
      at: () => (view.who === "you" ? "" : view.who.replace(/ /g, "-")),
      goTo: (text) => {
        const who = text ? data.drives.find((drive) => drive.replace(/ /g, "-") === text) : "you";
        if (who) choose(who);
        return Boolean(who);
      },
    };
  };
})();
