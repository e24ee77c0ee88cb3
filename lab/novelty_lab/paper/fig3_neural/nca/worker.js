"use strict";
/* The worker that trains: on a graphics card where the browser offers one, else on the processor. */
(() => {
  /** @param {any} scope where messages come from and go to */
  function work(scope, makeTrainer, makeShaders, makeGpuTrainer) {
    /* Sizes nearer to the paper's, for a graphics card. */
    const LARGE = { sites: 64, rings: 32, hidden: 64, features: 64, window: 8, burnIn: 64 };
    async function train(trainer, seed, card) {
      const { ascent, ruleOf, sizes, ROWS } = trainer;
      const run = ascent(seed);
      for (let step = 1; ; step++) {
        const found = await run.step();
        scope.postMessage({ step, ...found, rule: ruleOf(run.theta), rows: ROWS, sizes, card });
        // A pause, so that a message can come in between.
        await new Promise((resume) => setTimeout(resume));
      }
    }
    scope.onmessage = async ({ data }) => {
      try {
        const shape = data.shape ?? LARGE;
        const card = await makeGpuTrainer(makeTrainer, makeShaders, shape, data.software);
        if (card) await train(card, data.seed, true);
      } catch {
        /* A card that is lost, or cannot do it: the processor starts from the beginning. */
      }
      await train(makeTrainer(), data.seed, false);
    };
  }
  /* From its text: a page that was opened as a file may not load scripts into a worker. */
  function startWorker() {
    const { makeTrainer, shaders, makeGpuTrainer } = LN.training;
    const text = `(${work})(self, ${makeTrainer}, ${shaders}, ${makeGpuTrainer})`;
    return new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  }
  LN.training = { ...LN.training, startWorker };
})();
