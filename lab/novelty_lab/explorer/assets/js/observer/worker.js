"use strict";
/* The observer in workers: reservoirs are shared out among them. A page that was opened as a file
   may not load a worker from another file, so the text of the parts above is its program. */
(() => {
  LN.observerParts.push((ob) => {
    ob.serve = (scope) => {
      scope.onmessage = ({ data: { id, request, numbers } }) => {
        const answer = (content) => scope.postMessage({ id, ...content });
        try {
          const found = ob.measureDraws(request, numbers, (share) => answer({ share }));
          answer({ found });
        } catch (thrown) {
          const error = /** @type {Error} */ (thrown);
          answer({ error: error.message, isRefusal: error instanceof ob.Refusal });
        }
      };
    };
  });
  const MOST_WORKERS = 4;
  const ob = /** @type {any} */ ({});
  for (const part of LN.observerParts) part(ob);

  /** @type {Worker[]} */
  let workers = [];
  let address = "";
  let jobs = 0;
  function start() {
    const program = `"use strict";const ob={};for(const part of [${LN.observerParts.join(",")}])part(ob);ob.serve(self);`;
    address ||= URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    const count = Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 1);
    workers = Array.from({ length: count }, () => new Worker(address));
  }

  /* Score a request; a refusal rejects with its sentence. */
  async function score(asked, report) {
    if (!workers.length) start();
    const request = { linearLast: LN.data.index.linear_last, ...asked };
    const id = ++jobs;
    const draws = request.draws ?? 8;
    const used = workers.slice(0, draws);
    const shares = used.map(() => 0);
    const parts = await Promise.all(
      used.map(
        (worker, place) =>
          new Promise((resolve, reject) => {
            const numbers = Array.from({ length: draws }, (_, i) => i).filter(
              (i) => i % used.length === place,
            );
            const hear = ({ data }) => {
              if (data.id !== id) return;
              if (data.share !== undefined) {
                shares[place] = data.share;
                report?.(LN.mean(shares));
                return;
              }
              worker.removeEventListener("message", hear);
              waiting.delete(reject);
              if (data.error === undefined) resolve(data.found);
              else reject(new (data.isRefusal ? ob.Refusal : Error)(data.error));
            };
            waiting.add(reject);
            worker.addEventListener("message", hear);
            worker.postMessage({ id, request, numbers });
          }),
      ),
    );
    const inOrder = Array.from({ length: draws }, (_, i) => {
      const place = i % used.length;
      return parts[place][(i - place) / used.length];
    });
    return ob.summarize(request, inOrder);
  }
  /* End what is being computed: its promises reject. */
  const Stopped = class extends Error {};
  const waiting = new Set();
  function stop() {
    for (const worker of workers) worker.terminate();
    workers = [];
    for (const reject of waiting) reject(new Stopped("stopped"));
    waiting.clear();
  }
  LN.observer = { score, stop, parts: ob, Refusal: ob.Refusal, Stopped };
})();
