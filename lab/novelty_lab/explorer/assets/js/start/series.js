"use strict";
/* The series of the first tab: examples, numbers that were pasted, and noise that is added. */
(() => {
  const LENGTH = 240;
  const [FEWEST, MOST] = [12, 2000];

  /* Normal numbers by Box and Muller, from the words of NumPy's generator. */
  function normal(seed) {
    const words = LN.observer.parts.numpyWords(seed);
    const uniform = () => (words() + 0.5) / 2 ** 32;
    return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  }
  const make = (value) => Float64Array.from({ length: LENGTH }, (_, i) => value(i));
  const iterated = (first, next) => {
    let value = first;
    return make(() => {
      const now = value;
      value = next(value);
      return now;
    });
  };
  const sine = () => make((i) => Math.sin((2 * Math.PI * i) / 25));

  /* name, text of its button, share of noise to begin with, and the series for a seed. */
  const presets = [
    { name: "sine", text: "Sine", noise: 0, make: sine },
    { name: "both", text: "Sine and noise", noise: 0.5, make: sine },
    { name: "noise", text: "Noise", noise: 0, make: (seed) => make(normal(10 + seed)) },
    {
      name: "logistic",
      text: "Logistic map",
      noise: 0,
      make: () => iterated(0.3, (x) => 3.9 * x * (1 - x)),
    },
    {
      name: "walk",
      text: "Random walk",
      noise: 0,
      make: (seed) => {
        const step = normal(20 + seed);
        return iterated(0, (x) => x + step());
      },
    },
  ];

  function spread(values) {
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const square = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
    return { mean, deviation: Math.sqrt(square) };
  }
  /* A series with noise of so many of its own deviations. */
  function withNoise(values, share, seed) {
    if (!share) return values;
    const draw = normal(seed);
    const unit = share * (spread(values).deviation || 1);
    return values.map((value) => value + unit * draw());
  }

  /* Numbers between spaces, commas, semicolons or line ends; or the sentence that says what is
     wrong with them. */
  function parse(text) {
    const words = text.split(/[\s,;]+/).filter(Boolean);
    const wrong = words.findIndex((word) => !Number.isFinite(Number(word)));
    if (wrong >= 0)
      return {
        error: `expected numbers, got “${LN.visible(words[wrong].slice(0, 30))}” as number ${wrong + 1}`,
      };
    return counted(Float64Array.from(words, Number));
  }
  function counted(values) {
    if (values.length < FEWEST)
      return { error: `expected at least ${FEWEST} numbers, got ${values.length}` };
    if (values.length > MOST)
      return {
        error: `expected at most ${LN.number(MOST, 0)} numbers here, got ${LN.number(values.length, 0)}; the tab Your data takes more`,
      };
    return { values };
  }

  /* How a series is cut: eight steps ahead from four; two from two where it is short. */
  const cut = (length) => (length < 60 ? { window: 2, history: 2 } : { window: 8, history: 4 });

  LN.start = { presets, spread, withNoise, parse, counted, cut, LENGTH, FEWEST, MOST };
})();
