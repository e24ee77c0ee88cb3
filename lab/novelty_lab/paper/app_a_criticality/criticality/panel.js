"use strict";
/* Criticality: what a layer of the frozen network does to a small difference. */
(() => {
  const { el } = LN;
  const depths = (d, normalized) =>
    d.by_depth.flatMap((kinds) => kinds[normalized].map((v) => v[0]));
  const grown = (d) => {
    const last = d.gains.length - 1;
    const one = d.gains.indexOf(1);
    const at = (k) => d.by_gain.map((rows) => rows[k][0]);
    const top = at(last).indexOf(Math.max(...at(last)));
    const rest = at(last).filter((_, i) => i !== top);
    const middle = one < 0 ? "" : `At gain 1 all multipliers are ${LN.range(at(one), 2)}. `;
    return `With a small gain differences fade. ${middle}At gain ${d.gains[last]} ${d.activations[top]} multiplies them by ${LN.number(at(last)[top], 2)}, the others by ${LN.range(rest, 2)}.`;
  };
  const finding = () =>
    `Networks that normalize every layer keep χ between ${LN.range(depths(LN.data.criticality, 1), 2).replace("to", "and")} at all depths tried; plain ones have ${LN.range(depths(LN.data.criticality, 0), 2)}.`;

  function build(root) {
    const d = LN.data.criticality;
    const colours = ["blue", "orange", "green"];
    const more = ["red", "purple", "sky", "black"];
    const zip = (x, rows) => x.map((v, i) => [v, Array.isArray(rows[i]) ? rows[i][0] : rows[i]]);
    const depth = LN.charts.lines({
      label: "Multiplier against depth",
      height: 300,
      level: 1,
      x: { label: "depth, layers", log: true, ticks: d.depths },
      y: { label: "multiplier χ", domain: [0.4, 1.1] },
      series: d.architectures.flatMap((name, i) => [
        {
          name: `${name}, normalized`,
          colour: colours[i],
          dots: "joined",
          points: zip(d.depths, d.by_depth[i][1]),
        },
        {
          name: `${name}, plain`,
          colour: colours[i],
          dash: true,
          dots: "joined",
          points: zip(d.depths, d.by_depth[i][0]),
        },
      ]),
    });
    const gain = LN.charts.lines({
      label: "Multiplier against gain",
      height: 300,
      level: 1,
      x: { label: "gain on the normalized values" },
      y: { label: "multiplier χ" },
      series: d.activations.flatMap((name, i) => [
        { name, colour: more[i], dots: true, points: zip(d.gains, d.by_gain[i]) },
        {
          name,
          unnamed: true,
          colour: more[i],
          width: 1.2,
          points: zip(d.gains, d.by_gain_theory[i]),
        },
      ]),
    });
    const scale = LN.charts.lines({
      label: "Multiplier against input scale",
      height: 300,
      level: 1,
      x: { label: "standard deviation of the input", log: true, ticks: d.input_scales },
      y: { label: "multiplier χ", domain: [0.4, 1.1] },
      series: ["plain", "normalized"].map((name, i) => ({
        name,
        colour: "blue",
        dash: i === 0,
        dots: "joined",
        points: zip(d.input_scales, d.by_scale[i]),
      })),
    });
    root.append(
      el(
        "div",
        { class: "cards" },
        LN.figure(
          [el("h3", {}, "Deeper networks"), depth.node],
          `At 1 a small difference passes a layer unchanged; below 1 it fades away. Normalized networks: ${LN.range(depths(d, 1), 2)}; plain ones: ${LN.range(depths(d, 0), 2)} of a difference remain after each layer.`,
          "In the paper: χ against depth, appendix A.",
        ),
        LN.figure(
          [el("h3", {}, "Turning the gain"), gain.node],
          `${grown(d)} Dots: measured; lines: theory (mean field).`,
          `In the paper: χ against gain, depth ${d.depth}.`,
        ),
        LN.figure(
          [el("h3", {}, "Louder or quieter input"), scale.node],
          "χ of the normalized network does not depend on the size of the input; χ of the plain one does.",
          `In the paper: χ against input scale, depth ${d.depth}.`,
        ),
      ),
    );
  }
  LN.panels.push({
    name: "criticality",
    title: "The edge of chaos",
    short: "Criticality",
    command: "novelty run criticality",
    data: ["criticality"],
    lead: "The observer's frozen random network must neither forget its input nor amplify it without bound. χ is the factor by which one layer multiplies a small difference.",
    finding,
    build,
  });
})();
