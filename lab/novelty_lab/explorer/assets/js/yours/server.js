"use strict";
/* The local server of novelty explore, for files that are too large to be scored in the page. */
(() => {
  /* Send a file, telling how much is up; answers and refusals come back as JSON. */
  function send(path, file, options, progress) {
    const request = new XMLHttpRequest();
    const found = new Promise((resolve, reject) => {
      request.open("POST", `${path}?${new URLSearchParams({ name: file.name, ...options })}`);
      request.upload.onprogress = (event) => progress(event.loaded / event.total);
      request.onload = () => {
        try {
          resolve(JSON.parse(request.responseText));
        } catch {
          reject(new Error());
        }
      };
      request.onerror = () => reject(new Error());
      request.send(file);
    });
    return { found, stop: () => request.abort() };
  }
  /* A column by its name, quoted as in CSV, or by its number if another has the same name. */
  function called(names, i) {
    const name = names[i];
    const clear = name && names.indexOf(name) === i;
    return clear ? `"${name.replaceAll('"', '""')}"` : String(i);
  }
  Object.assign(LN.yours, { send, called });
})();
