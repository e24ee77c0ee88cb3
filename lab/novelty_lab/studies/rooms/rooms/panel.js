"use strict";
/* The noisy television: where agents of each drive spend their time, and what the rooms pay. */
(() => {
  const { el } = LN;
  const ABOUT = {
    pendulum: "a pendulum that the agent’s steps push",
    automaton: "an automaton, rule 110, on its round",
    clock: "a wave that goes around the screen",
    noise: "dots drawn afresh at every step: nothing to learn",
    dark: "nothing at all",
  };
  const DRIVES = { excess: "excess", epiplexity: "raw bits" };
  const percent = (share) => `${LN.number(100 * share, 0)} %`;
  const title = (row) => row.name + (row.departure ? `, ${row.departure}` : "");
  const legend = () =>
    el(
      "ul",
      { class: "legend" },
      LN.data.rooms.rooms.map((room) => el("li", {}, LN.swatch(room.colour), room.name)),
    );

  /* One thin bar per agent, its days by room. */
  function lives(row) {
    const { rooms } = LN.data.rooms;
    const text = (shares) =>
      rooms.map((room, k) => `${room.name} ${percent(shares[k])}`).join("\n");
    const bars = el(
      "div",
      {
        class: "lives",
        tabindex: 0,
        role: "img",
        "aria-label": `${title(row)}: ${text(row.mean)}`,
        onfocus: (event) => {
          const box = event.target.getBoundingClientRect();
          LN.tip(
            { clientX: box.left, clientY: box.bottom },
            `mean of ${LN.count(row.agents.length, "agent")}\n${text(row.mean)}`,
          );
        },
        onblur: LN.untip,
      },
      row.agents.map((shares, agent) =>
        el(
          "div",
          {
            onpointermove: (event) => LN.tip(event, `agent ${agent + 1}\n${text(shares)}`),
            onpointerleave: LN.untip,
          },
          rooms.map((room, k) =>
            el("i", {
              "data-room": room.key,
              style: { width: `${100 * shares[k]}%`, background: LN.paint(room.colour) },
            }),
          ),
        ),
      ),
    );
    bars.style.setProperty("--agents", row.agents.length);
    return bars;
  }
  const timetable = (rows) =>
    el(
      "div",
      { class: "timetable" },
      rows.flatMap((row) => [el("div", { class: "name" }, title(row)), lives(row)]),
    );

  function build(root) {
    const d = LN.data.rooms;
    const own = d.rows.filter((row) => row.common);
    const others = d.rows.filter((row) => !row.common);
    const agents = Math.max(...d.rows.map((row) => row.agents.length));
    const state = {
      row: Math.max(
        0,
        d.rows.findIndex((row) => row.drive === "excess"),
      ),
      drive: "excess",
      pixels: d.habits[0].pixels,
    };
    const along = LN.charts.lines({
      label: "Share of time in each room during training",
      series: [],
      height: 320,
      x: { label: "training steps" },
      y: { label: "share of time, %", domain: [0, 100] },
    });
    const paid = LN.charts.lines({
      label: "What habits are paid",
      series: [],
      height: 320,
      x: { label: "steps of the episode", log: true, ticks: d.lengths },
      y: { label: "paid per episode, bits" },
    });
    const follow = () => {
      const row = d.rows[state.row];
      const every = d.steps / row.along.length;
      along.update({
        series: d.rooms.map((room, k) => ({
          name: room.name,
          colour: room.colour,
          dash: room.key === "dark",
          points: row.along.map((shares, i) => [Math.round((i + 1) * every), 100 * shares[k]]),
        })),
      });
    };
    const price = () =>
      paid.update({
        series: d.habits
          .filter((h) => h.drive === state.drive && h.pixels === state.pixels)
          .map((h) => ({
            name: h.habit,
            colour: h.colour,
            dash: h.dashed,
            dots: "joined",
            points: d.lengths.map((length, k) => [length, h.mean[k]]),
          })),
      });
    const screens = [...new Set(d.habits.map((h) => h.pixels))];
    root.append(
      LN.figure(
        [el("h3", {}, "Where agents spend their time"), legend(), timetable(own)],
        `A corridor of five rooms, each with a screen: ${d.rooms.map((room) => `${room.name} (${ABOUT[room.key]})`).join("; ")}. Each thin bar is one trained agent; its whole width is all of its time. On the left: what the agents were rewarded for. ${LN.count(agents, "agent")} per drive.`,
        "In the paper: the noisy television and the dark room, section 2, described there in words; the corridor is ours. Learnable novelty is S^φ.",
      ),
      others.length
        ? LN.figure(
            [el("h3", {}, "The same in other corridors"), legend(), timetable(others)],
            "Longer or shorter episodes, smaller screens, or no clock for the agent: does it still go to the same room?",
            "Ours.",
          )
        : null,
      el(
        "div",
        { class: "cards" },
        LN.figure(
          [
            el("h3", {}, "How they settle"),
            el(
              "div",
              { class: "controls" },
              LN.select(
                "Paid for",
                d.rows.map((row, k) => [k, title(row)]),
                state.row,
                (k) => {
                  state.row = +k;
                  follow();
                },
              ),
            ),
            along.node,
          ],
          "Share of time in each room during training, mean over agents.",
          "Ours.",
        ),
        LN.figure(
          [
            el("h3", {}, "What staying pays"),
            el(
              "div",
              { class: "controls" },
              LN.select("Paid in", Object.entries(DRIVES), state.drive, (v) => {
                state.drive = v;
                price();
              }),
              screens.length > 1
                ? LN.select(
                    "Screen",
                    screens.map((p) => [p, `${p} pixels`]),
                    state.pixels,
                    (v) => {
                      state.pixels = +v;
                      price();
                    },
                  )
                : null,
            ),
            paid.node,
          ],
          "Reward per episode for staying in one room, and for walking from end to end (tour), against the length of the episode. It shows what a drive rewards, apart from what agents managed to learn.",
          "Ours: S^φ, and S^φ less its floor, mean over observers.",
        ),
      ),
    );
    follow();
    price();
  }
  function finding() {
    const { rows, rooms } = LN.data.rooms;
    const noise = rooms.findIndex((room) => room.key === "noise");
    const of = (drive) => rows.find((row) => row.common && row.drive === drive);
    const [surprise, excess, raw] = [of("surprise"), of("excess"), of("epiplexity")];
    const ours = excess || raw;
    if (!surprise || !ours) return "";
    const most = ours.mean.indexOf(Math.max(...ours.mean));
    const where =
      most === noise
        ? "there"
        : `in the room of the ${rooms[most].name}`.replace("room of the dark room", "dark room");
    const learnable = !["noise", "dark"].includes(rooms[most].key);
    const beside =
      excess && raw
        ? ` Those paid for raw bits: ${percent(raw.mean[noise])} and ${percent(raw.mean[most])}.`
        : "";
    return `Agents paid for surprise spend ${percent(surprise.mean[noise])} of their time at the noisy television, those paid for the ${excess ? "excess" : "raw bits"} ${percent(ours.mean[noise])}: they are most often ${where} (${percent(ours.mean[most])})${learnable ? ", where there is something to learn" : ""}.${beside}`;
  }
  LN.panels.push({
    name: "rooms",
    title: "The noisy television",
    short: "Noisy television",
    command: "novelty run rooms",
    data: ["rooms"],
    lead: "A screen full of noise is always new and never learnable; a dark room is never new. Agents that seek surprise are known to get stuck before the first, agents that avoid it in the second. What do agents do that are rewarded for what they can learn?",
    terms: ["raw", "floor", "excess"],
    finding,
    build,
  });
})();
