"use strict";
/* What a reader takes along: the link of what is shown, its picture, and a film of what moves. */
(() => {
  const { el } = LN;
  const [WIDE, EDGE] = [1200, 48]; // pixels of a poster
  const [FRAMES, DELAY, FILM_WIDE] = [80, 5, 480]; // of a film; hundredths of a second; pixels at least
  const DRAWN = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "font",
    "text-anchor",
  ];

  /** A chart as an image, its look written into it: outside of the page it has no style sheet.
   * @param {SVGSVGElement} chart @returns {Promise<HTMLImageElement>} */
  function pictured(chart) {
    const { width, height } = chart.getBoundingClientRect();
    const copy = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
    const all = [...chart.querySelectorAll("*")];
    for (const [i, node] of [...copy.querySelectorAll("*")].entries()) {
      const look = getComputedStyle(all[i]);
      const style = DRAWN.map((name) => `${name}:${look.getPropertyValue(name)}`).join(";");
      node.setAttribute("style", style);
    }
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    const text = new XMLSerializer().serializeToString(copy);
    const image = new Image();
    return new Promise((done, failed) => {
      image.onload = () => done(image);
      image.onerror = () => failed(new Error("the chart could not be drawn"));
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    });
  }
  /* The main picture of a panel: what it names, or its first canvas or chart. */
  function pictureOf(panel) {
    const own = panel.picture?.();
    if (own) return own;
    const seen = [...panel.root.querySelectorAll("figure canvas, figure svg")];
    return seen.find((node) => node.checkVisibility() && node.clientWidth > 100) || null;
  }
  /** Words in lines of a given width.
   * @param {CanvasRenderingContext2D} pen @param {string} text */
  function wrapped(pen, text, width) {
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width > width && lines.at(-1)) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }
  const numbersOf = (panel) =>
    [...panel.root.querySelectorAll(".stats > div")]
      .filter((entry) => entry.checkVisibility())
      .map((entry) => [...entry.children].map((part) => part.textContent).join(": "))
      .join("  ·  ");

  /** Title, result, numbers and picture of a panel on one canvas.
   * @param {OpenPanel} panel */
  async function poster(panel) {
    const node = pictureOf(panel);
    const source = node instanceof SVGSVGElement ? await pictured(node) : node;
    const inner = WIDE - 2 * EDGE;
    const high = source ? Math.min(inner, (inner * source.height) / source.width) : 0;
    const canvas = el("canvas", { width: WIDE });
    const pen = LN.pen(canvas);
    const face = getComputedStyle(document.body).fontFamily;
    const finding = panel.root.querySelector(".finding")?.textContent || panel.lead;
    /** @type {{ font: string, colour: string, step: number, lines: string[] }[]} */
    const texts = [];
    for (const [size, weight, colour, text] of /** @type {[number, number, string, string][]} */ ([
      [44, 700, "ink", panel.title],
      [26, 400, "ink", finding],
      [20, 400, "soft", numbersOf(panel)],
    ])) {
      const font = `${weight} ${size}px ${face}`;
      pen.font = font;
      if (text) texts.push({ font, colour, step: 1.4 * size, lines: wrapped(pen, text, inner) });
    }
    const above = texts.reduce((sum, { step, lines }) => sum + step * lines.length + 14, EDGE);
    canvas.height = Math.round(above + high + 2 * EDGE + 20);
    pen.fillStyle = LN.css("paper");
    pen.fillRect(0, 0, WIDE, canvas.height);
    pen.textBaseline = "top";
    let y = EDGE;
    for (const { font, colour, step, lines } of texts) {
      pen.font = font;
      pen.fillStyle = LN.css(colour);
      for (const line of lines) {
        pen.fillText(line, EDGE, y);
        y += step;
      }
      y += 14;
    }
    if (source) {
      const width = (high * source.width) / source.height;
      pen.imageSmoothingEnabled = !node?.classList.contains("pixels");
      pen.fillStyle = LN.css("card");
      pen.fillRect(EDGE, y, width, high);
      pen.drawImage(source, EDGE, y, width, high);
    }
    pen.font = `400 20px ${face}`;
    pen.fillStyle = LN.css("soft");
    const named = `learnable-novelty ${LN.data.index.version}  ·  ${location.hash}`;
    pen.fillText(named, EDGE, canvas.height - EDGE);
    return canvas;
  }

  /** A film of what moves, as the bytes of a GIF.
   * @param {Film} film @param {(share: number) => void} [report] */
  async function filmed({ canvas, advance }, report, count = FRAMES) {
    const { width, height } = canvas;
    const zoom = Math.max(1, Math.round(FILM_WIDE / width));
    const size = { width: zoom * width, height: zoom * height };
    // A copy that is kept where it is read from, not where it is drawn.
    const copy = el("canvas", { width, height });
    const pen = copy.getContext("2d", { willReadFrequently: true });
    if (!pen) throw new Error("this browser cannot draw on a canvas");
    pen.globalCompositeOperation = "copy";
    const palette = new Map();
    const frames = [];
    for (let k = 0; k < count; k++) {
      advance();
      pen.drawImage(canvas, 0, 0);
      const pixels = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
      const frame = new Uint8Array(size.width * size.height);
      for (let y = 0, z = 0; y < size.height; y++)
        for (let x = 0, from = width * Math.floor(y / zoom); x < size.width; x++, z++) {
          const colour = pixels[from + Math.floor(x / zoom)];
          let index = palette.get(colour);
          if (index === undefined) {
            index = palette.size;
            palette.set(colour, index);
          }
          frame[z] = index;
        }
      frames.push(frame);
      report?.((k + 1) / count);
      // The page goes on meanwhile.
      if (k % 4 === 0) await new Promise((go) => setTimeout(go));
    }
    const colours = [...palette.keys()].map((c) => [c & 255, (c >> 8) & 255, (c >> 16) & 255]);
    return LN.gif(size, colours, frames, DELAY);
  }

  function save(blob, ending) {
    const href = URL.createObjectURL(blob);
    const name = location.hash.slice(1).replace(/[^\w.-]+/g, "-") || "page";
    el("a", { href, download: `learnable-novelty-${name}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }

  const link = el("input", { type: "text", readonly: true, "aria-label": "Link to what is shown" });
  const said = el("p", { role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(link.value);
      said.textContent = "Copied.";
    } catch {
      link.select();
      said.textContent = "Press Ctrl+C to copy it.";
    }
  }
  async function savePicture() {
    const canvas = await poster(LN.current());
    canvas.toBlob((blob) => blob && save(blob, "png"));
    said.textContent = "Saved as PNG.";
  }
  async function saveFilm() {
    const panel = LN.current();
    if (!panel.film) return;
    panel.hide?.();
    const told = (share) => {
      said.textContent = `Filming: ${LN.number(100 * share, 0)} %`;
    };
    const bytes = await filmed(panel.film(), told);
    if (LN.current() === panel) panel.show?.();
    save(new Blob([bytes], { type: "image/gif" }), "gif");
    said.textContent = `Saved as GIF, ${LN.number(bytes.length / 1e6, 1)} MB.`;
  }
  const film = el("button", { type: "button", onclick: saveFilm }, "Save film (GIF)");
  const local = /^(file:|https?:\/\/(127\.|localhost))/.test(location.href);
  const box = el(
    "div",
    { class: "share", id: "share-box", role: "group", "aria-label": "Share", hidden: true },
    link,
    el(
      "div",
      { class: "controls" },
      el("button", { type: "button", class: "primary", onclick: copy }, "Copy link"),
      el("button", { type: "button", onclick: savePicture }, "Save picture (PNG)"),
      film,
    ),
    local
      ? el("small", {}, "This page is on your machine. What follows # works on every copy of it.")
      : null,
    said,
  );
  const button = /** @type {HTMLElement} */ (document.getElementById("share"));
  button.after(box);
  function toggle(open) {
    box.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    const panel = LN.current();
    const what = panel.at?.();
    link.value = `${location.href.split("#")[0]}#${panel.name}${what ? `=${encodeURI(what)}` : ""}`;
    film.hidden = !panel.film;
    said.textContent = "";
    link.focus();
    link.select();
  }
  button.addEventListener("click", () => toggle(box.hidden));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || box.hidden) return;
    toggle(false);
    button.focus();
  });
  addEventListener("pointerdown", (event) => {
    const at = /** @type {Node} */ (event.target);
    if (!box.contains(at) && !button.contains(at)) toggle(false);
  });
  addEventListener("hashchange", () => toggle(false));

  LN.share = { poster, filmed };
})();
