"use strict";
/* What the record says of life-like rules: measures by place, ranks, names, and what was scored again. */
(() => {
  const { life } = LN;
  const SIDE = 512;
  const bits = { unit: "bits", times: 1, digits: 1, above: true };
  const share = { unit: "%", times: 100, digits: 1 };
  const MEASURES = {
    excess: { ...bits, name: "excess", below: true },
    bits: { ...bits, name: "raw bits" },
    floor: { ...bits, name: "floor" },
    null: { ...bits, name: "score of targets moved at random" },
    excess_sd: { ...bits, name: "standard deviation of the excess between draws", digits: 2 },
    explained: { ...share, name: "variance of the future explained by one frame" },
    density: { ...share, name: "living cells" },
    activity: { ...share, name: "cells that change in a step" },
    change_in_two: { ...share, name: "cells that differ after two steps" },
    entropy: { unit: "bits", times: 1, digits: 1, above: true, name: "entropy of 3 × 3 patterns" },
    compressed: {
      unit: "bits a cell",
      times: 1,
      digits: 2,
      above: true,
      name: "size when compressed (zlib)",
    },
    lambda: { ...share, name: "Langton's λ: neighbourhoods that give life" },
  };
  const loaded = {};
  const sorted = {};
  let data;
  let names;
  let again;

  /* The values of a measure by place in the record, or undefined until its file is here. */
  function values(name) {
    if (loaded[name]) return loaded[name];
    if (name === "lambda")
      loaded[name] = Float64Array.from({ length: SIDE * SIDE }, (_, i) =>
        life.lambda(life.ruleOf(i)),
      );
    else if (name === "excess") loaded[name] = values("bits").map((v, i) => v - values("floor")[i]);
    else if (LN.data[`life-${name}`])
      loaded[name] = Float64Array.from(
        LN.unpack(LN.data[`life-${name}`]),
        (v) => v * data.grain[name],
      );
    return loaded[name];
  }
  const inOrder = (name) => (sorted[name] = sorted[name] || values(name).slice().sort());
  /* How many values of a sorted array lie below one; a hair apart is equal. */
  function below(all, value) {
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /* One more than the rules above it; for rules with a name as the record has it, from unrounded values. */
  const rankOf = (rule) =>
    names.get(life.indexOf(rule))?.rank ||
    1 + SIDE * SIDE - below(inOrder("excess"), values("excess")[life.indexOf(rule)] + 1e-9);
  const placed = (rule) => LN.number(rankOf(rule), 0);
  /* Colours in proportion end where the record's limits are; by rank they give every tenth of the rules as much. */
  const SCALES = {
    value: {
      name: "in proportion",
      of: (name) => values(name),
      ends: (name) => data.limits[name] || [0, 1],
    },
    rank: {
      name: "by rank",
      ends: () => [0, 1],
      of: (name) => {
        const all = inOrder(name);
        return values(name).map((v) => below(all, v - 1e-9) / (all.length - 1));
      },
    },
  };
  const told = (name, index) => {
    const found = values(name);
    const { times, digits, unit } = MEASURES[name];
    return found ? `${LN.number(found[index] * times, digits)} ${unit}` : "…";
  };
  const nameOf = (rule) => names.get(life.indexOf(rule))?.name;
  const titled = (rule) => life.write(rule) + (nameOf(rule) ? `, ${nameOf(rule)}` : "");
  /* Take a record's data: which rules have a name, which were scored again. */
  function read(given) {
    data = given;
    names = new Map(data.named.map((entry) => [life.indexOf(life.ruleFrom(entry.rule)), entry]));
    const [codes, excess, halfWidth] = ["codes", "excess", "half_width"].map((name) =>
      LN.unpack(data.again[name]),
    );
    again = new Map(
      Array.from(codes, (code, i) => [
        life.indexOf(life.ofCode(code)),
        { excess: excess[i], halfWidth: halfWidth[i] },
      ]),
    );
  }
  LN.lifeRecord = {
    MEASURES,
    SCALES,
    read,
    values,
    inOrder,
    below,
    rankOf,
    placed,
    told,
    nameOf,
    titled,
    named: (rule) => names.get(life.indexOf(rule)),
    again: (rule) => again.get(life.indexOf(rule)),
    /* How many of those that were scored again lie above. */
    above: (excess) => [...again.values()].filter((found) => found.excess > excess).length,
    /* The highest of those that were scored again. */
    best: () =>
      [...again]
        .map(([index, found]) => ({ rule: life.ruleOf(index), ...found }))
        .reduce((a, b) => (b.excess > a.excess ? b : a)),
  };
})();
