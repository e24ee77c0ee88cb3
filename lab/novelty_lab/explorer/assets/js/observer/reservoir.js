"use strict";
/* The frozen random network of vectors, an MLP of four layers, h' = elu(normalize(W h + b)). Where the
   last layer is linear, as the paper has it, it is W h + b alone; ln.score activates it too. */
LN.observerParts.push((ob) => {
  const DEPTH = 4;
  const EPSILON = 1e-5;
  const [WIDEST, NARROWEST, ROWS_PER_FEATURE] = [64, 4, 4];

  /* A quarter of the number of rows, from 4 to 64. */
  ob.defaultWidth = (rows) =>
    Math.min(WIDEST, Math.max(NARROWEST, Math.floor(rows / ROWS_PER_FEATURE)));

  /* Weights uniform in +-1/sqrt(fan in), drawn as Python draws them. */
  ob.drawReservoir = (seed, inputs, width, linearLast = false) => {
    const uniform = ob.torchUniform(ob.split(seed, "reservoir"));
    const layers = Array.from({ length: DEPTH }, (_, layer) => {
      const fanIn = layer ? width : inputs;
      const bound = fanIn ** -0.5;
      const drawn = (count) => {
        const made = new Float64Array(count);
        for (let i = 0; i < count; i++) made[i] = (2 * uniform() - 1) * bound;
        return made;
      };
      const weights = Array.from({ length: width }, () => drawn(fanIn));
      return { weights, bias: drawn(width) };
    });
    return { layers, linearLast };
  };

  /* Features of inputs, both as columns. */
  ob.features = ({ layers, linearLast }, inputs) => {
    const rows = inputs[0].length;
    let hidden = inputs;
    layers.forEach(({ weights, bias }, layer) => {
      hidden = ob.times(hidden, weights, rows, bias);
      if (!linearLast || layer < DEPTH - 1) activate(hidden, rows);
    });
    return hidden;
  };

  /* Normalize each row over its units, then x for x > 0 and e^x - 1 below. */
  function activate(units, rows) {
    const mean = new Float64Array(rows);
    for (const column of units) ob.add(mean, column, 1 / units.length);
    const scale = new Float64Array(rows);
    for (const column of units)
      for (let i = 0; i < rows; i++) scale[i] += (column[i] - mean[i]) ** 2;
    for (let i = 0; i < rows; i++) scale[i] = 1 / Math.sqrt(scale[i] / units.length + EPSILON);
    for (const column of units)
      for (let i = 0; i < rows; i++) {
        const value = (column[i] - mean[i]) * scale[i];
        column[i] = value > 0 ? value : Math.expm1(value);
      }
  }
});
