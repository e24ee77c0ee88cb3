"use strict";
/* One score at a time, the newest first: a quick one of two reservoirs while the series changes, a
   full one with its test when it rests. */
(() => {
  const RIDGE = 0.1;
  const REST = 350; // milliseconds
  const QUICK = { draws: 2, shuffles: 0 };
  const FULL = { draws: 4, shuffles: 19 };

  LN.start.ask = (values, how) =>
    LN.observer.score({ inputs: [values], ...LN.start.cut(values.length), ridge: RIDGE, ...how });

  /* told(found, isFull) hears of results, refused(sentence) of refusals. */
  LN.start.scores = ({ told, refused }) => {
    /** @type {{ values: Float64Array, isFull: boolean } | null} */
    let wanted = null;
    let isBusy = false;
    let timer = 0;

    async function work() {
      if (isBusy) return;
      isBusy = true;
      while (wanted) {
        const { values, isFull } = wanted;
        wanted = null;
        try {
          const found = await LN.start.ask(values, isFull ? FULL : QUICK);
          if (!wanted) told(found, isFull);
        } catch (error) {
          if (!(error instanceof LN.observer.Stopped))
            refused(/** @type {Error} */ (error).message);
        }
      }
      isBusy = false;
    }
    return (values) => {
      wanted = { values, isFull: false };
      clearTimeout(timer);
      timer = setTimeout(() => {
        wanted = { values, isFull: true };
        work();
      }, REST);
      work();
    };
  };
  Object.assign(LN.start, { RIDGE, FULL });
})();
