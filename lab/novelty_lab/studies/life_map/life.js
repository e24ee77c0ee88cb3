"use strict";
/* Life-like automata: how a rule is written, where it lies on the map, and a torus that runs it. */
(() => {
  const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const WAYS = [1, 8, 28, 56, 70, 56, 28, 8, 1];

  /* A rule is two masks of nine bits: with bit k of `birth` a cell with k living neighbours is born. */
  const maskOf = (digits) => [...digits].reduce((mask, digit) => mask | (1 << +digit), 0);
  const digitsOf = (mask) => COUNTS.filter((k) => (mask >> k) & 1).join("");
  const distinct = (digits) => new Set(digits).size === digits.length;
  const FORMS = [
    /^B(?<birth>[0-8]*)\/?S(?<survival>[0-8]*)$/,
    /^S(?<survival>[0-8]*)\/?B(?<birth>[0-8]*)$/,
    /^(?<survival>[0-8]*)\/(?<birth>[0-8]*)$/,
  ];
  /* B3/S23, b3s23, S23/B3, or 23/3 with survival first; null for anything else. */
  function parse(text) {
    for (const form of FORMS) {
      const digits = form.exec(text.trim().toUpperCase())?.groups;
      if (digits && distinct(digits.birth) && distinct(digits.survival)) {
        return { birth: maskOf(digits.birth), survival: maskOf(digits.survival) };
      }
    }
    return null;
  }
  /* A rule of the record, which is always well written. */
  function ruleFrom(text) {
    const rule = parse(text);
    if (!rule) throw new Error(`expected a rule like B3/S23, got ${text}`);
    return rule;
  }
  const write = (rule) => `B${digitsOf(rule.birth)}/S${digitsOf(rule.survival)}`;
  const same = (a, b) => a.birth === b.birth && a.survival === b.survival;

  /* Fewer neighbours weigh more on the drawn map: halves differ in 0 neighbours, quarters in 1. */
  const reversed = (mask) =>
    COUNTS.reduce((turned, k) => turned | (((mask >> k) & 1) << (8 - k)), 0);
  /** @returns {[number, number]} */
  const placeOf = (rule) => [reversed(rule.birth), reversed(rule.survival)];
  const ruleAt = (column, row) => ({ birth: reversed(column), survival: reversed(row) });
  /* Where the record keeps a rule: rows are survival masks, columns birth masks. */
  const indexOf = (rule) => 512 * rule.survival + rule.birth;
  const ruleOf = (index) => ({ birth: index & 511, survival: index >> 9 });
  /* Wolfram's code: bit 2k is birth with k neighbours, bit 2k + 1 survival. */
  const ofCode = (code) => ({
    birth: COUNTS.reduce((mask, k) => mask | (((code >> (2 * k)) & 1) << k), 0),
    survival: COUNTS.reduce((mask, k) => mask | (((code >> (2 * k + 1)) & 1) << k), 0),
  });

  /* Dead and living exchanged: born with k if 8 - k living ones did not keep a cell alive. */
  const complement = (rule) => ({
    birth: 511 ^ reversed(rule.survival),
    survival: 511 ^ reversed(rule.birth),
  });
  /* The 18 rules that differ in one count. */
  const neighbours = (rule) =>
    ["birth", "survival"].flatMap((part) =>
      COUNTS.map((k) => ({
        rule: { ...rule, [part]: rule[part] ^ (1 << k) },
        change: `${(rule[part] >> k) & 1 ? "without" : "with"} ${part === "birth" ? "B" : "S"}${k}`,
      })),
    );
  /* Langton's lambda: the share of the 512 neighbourhoods after which a cell lives. */
  const lambda = (rule) =>
    COUNTS.reduce(
      (sum, k) => sum + WAYS[k] * (((rule.birth >> k) & 1) + ((rule.survival >> k) & 1)),
      0,
    ) / 512;
  /* The empty plane turns full, and the full one empty: at every step the picture would flash. */
  const flashes = (rule) => Boolean(rule.birth & 1) && !((rule.survival >> 8) & 1);

  /* A torus of cells, 32 to a word, the first cell of a row lowest; widths are multiples of 32. */
  class Torus {
    constructor(width, height) {
      this.width = width;
      this.height = height;
      this.across = width / 32;
      this.time = 0;
      const words = () => new Uint32Array(this.across * height);
      this.words = words();
      this.next = words();
      this.sides = words();
      this.both = words();
      this.low = words();
      this.high = words();
    }
    get(x, y) {
      return (this.words[y * this.across + (x >> 5)] >>> (x & 31)) & 1;
    }
    set(x, y, alive) {
      const at = y * this.across + (x >> 5);
      const bit = 1 << (x & 31);
      if (alive) this.words[at] |= bit;
      else this.words[at] &= ~bit;
    }
    clear() {
      this.words.fill(0);
      this.time = 0;
    }
    soup(density, random = Math.random) {
      this.clear();
      for (let y = 0; y < this.height; y++)
        for (let x = 0; x < this.width; x++) if (random() < density) this.set(x, y, 1);
    }
    /* Bitwise adders: all 32 cells of a word count their neighbours at once, in four planes of bits.
       A row's three cells are added once, and serve the row above and the row below. */
    step(rule) {
      const { words, next, sides, both, low, high, across, height } = this;
      for (let y = 0, i = 0; y < height; y++) {
        const first = y * across;
        const last = first + across - 1;
        for (; i <= last; i++) {
          const state = words[i];
          const left = (state << 1) | (words[i === first ? last : i - 1] >>> 31);
          const right = (state >>> 1) | (words[i === last ? first : i + 1] << 31);
          const side = left ^ right;
          const two = left & right;
          sides[i] = side;
          both[i] = two;
          low[i] = side ^ state;
          high[i] = two | (side & state);
        }
      }
      const born = COUNTS.map((k) => -((rule.birth >> k) & 1));
      const change = COUNTS.map((k) => born[k] ^ -((rule.survival >> k) & 1));
      const [b0, b1, b2, b3, b4, b5, b6, b7, b8] = born;
      const [c0, c1, c2, c3, c4, c5, c6, c7, c8] = change;
      const size = words.length;
      for (let i = 0, up = size - across, down = across; i < size; i++) {
        const s = words[i];
        const side = sides[i];
        const two = both[i];
        const upLow = low[up];
        const downLow = low[down];
        const upHigh = high[up];
        const downHigh = high[down];
        if (++up === size) up = 0;
        if (++down === size) down = 0;
        const lows = upLow ^ downLow;
        const ones = lows ^ side;
        const carry = (upLow & downLow) | (lows & side);
        const highs = upHigh ^ downHigh;
        const middle = two ^ carry;
        const twos = highs ^ middle;
        const first = upHigh & downHigh;
        const second = two & carry;
        const fours = first ^ second ^ (highs & middle);
        const eights = first & second;
        // What each count leads to, dead or living; then one of the nine is picked, bit by bit.
        const l0 = b0 ^ (s & c0);
        const l2 = b2 ^ (s & c2);
        const l4 = b4 ^ (s & c4);
        const l6 = b6 ^ (s & c6);
        const o0 = l0 ^ (ones & (l0 ^ b1 ^ (s & c1)));
        const o2 = l2 ^ (ones & (l2 ^ b3 ^ (s & c3)));
        const o4 = l4 ^ (ones & (l4 ^ b5 ^ (s & c5)));
        const o6 = l6 ^ (ones & (l6 ^ b7 ^ (s & c7)));
        const t0 = o0 ^ (twos & (o0 ^ o2));
        const t4 = o4 ^ (twos & (o4 ^ o6));
        const f = t0 ^ (fours & (t0 ^ t4));
        next[i] = f ^ (eights & (f ^ b8 ^ (s & c8)));
      }
      this.words = next;
      this.next = words;
      this.time++;
    }
    /* One pixel a cell, as 32-bit colours. */
    paint(pixels, on, off) {
      for (let i = 0, z = 0; i < this.words.length; i++) {
        for (let word = this.words[i], k = 0; k < 32; k++, word >>>= 1)
          pixels[z++] = word & 1 ? on : off;
      }
    }
    population() {
      let count = 0;
      for (let word of this.words) for (; word; word &= word - 1) count++;
      return count;
    }
  }

  LN.life = {
    parse,
    ruleFrom,
    write,
    same,
    placeOf,
    ruleAt,
    indexOf,
    ruleOf,
    ofCode,
    complement,
    neighbours,
    lambda,
    flashes,
    Torus,
  };
})();
