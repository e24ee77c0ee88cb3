"use strict";
/* One score at a time, the newest first: a quick one of two reservoirs while the series changes, a
   full one with its test when it rests, then what noise would do to it. */
(() => {
  const RIDGE = 0.1;
  const REST = 350; // milliseconds
  const QUICK = { draws: 2, shuffles: 0 };
  const UNTESTED = { draws: 4, shuffles: 0 };
  const FULL = { draws: 4, shuffles: 19, signs: false };
  const LEVELS = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3];

  /* told(found, isFull) and swept(points) hear of results, refused(sentence) of refusals. */
  function scores({ told, swept, refused }) {
    /* What is wanted, in the order of urgency: the newest series, its test, its sweep. */
    /** @type {{ quick: any, full: any, sweep: any }} */
    let wanted = { quick: null, full: null, sweep: null };
    /** @type {number[][]} */
    let points = [];
    let isBusy = false;
    let timer = 0;

    const ask = (values, how) =>
      LN.observer.score({
        inputs: [values],
        ...LN.start.cut(values.length),
        ridge: RIDGE,
        ...how,
      });

    async function next() {
      const { quick, full, sweep } = wanted;
      if (quick) {
        wanted.quick = null;
        const found = await ask(quick.values, QUICK);
        if (!wanted.quick) told(found, false);
      } else if (full) {
        wanted.full = null;
        const found = await ask(full.values, FULL);
        if (!wanted.quick) told(found, true);
      } else if (sweep) {
        const share = LEVELS[points.length];
        const found = await ask(LN.start.withNoise(sweep.values, share, sweep.seed), UNTESTED);
        if (wanted.sweep !== sweep) return;
        points = [...points, [share, found.bits, found.denoised_bits]];
        swept(points);
        if (points.length === LEVELS.length) wanted.sweep = null;
      }
    }
    async function work() {
      if (isBusy) return;
      isBusy = true;
      while (wanted.quick || wanted.full || wanted.sweep) {
        try {
          await next();
        } catch (error) {
          wanted = { quick: null, full: null, sweep: null };
          if (!(error instanceof LN.observer.Stopped))
            refused(/** @type {Error} */ (error).message);
        }
      }
      isBusy = false;
    }

    /* Score a series; `base` is the one without noise, if that has changed. */
    function score(values, base, seed) {
      wanted.quick = { values };
      wanted.full = null;
      if (base) {
        wanted.sweep = null;
        points = [];
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        wanted.full = { values };
        if (base) wanted.sweep = { values: base, seed };
        work();
      }, REST);
      work();
    }
    const isResting = () =>
      !isBusy && !wanted.quick && !wanted.full && !wanted.sweep && points.length > 0;
    return { score, isResting };
  }
  Object.assign(LN.start, { scores, RIDGE, FULL });
})();
