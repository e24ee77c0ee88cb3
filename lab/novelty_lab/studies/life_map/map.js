"use strict";
/* The map of all life-like rules: 512 x 512 cells, to be zoomed, moved, pointed at and walked over. */
(() => {
  const { el } = LN;
  const { placeOf, ruleAt, same } = LN.life;
  const SIDE = 512;
  const CLOSEST = 8;
  const NEAR = 6;
  /* matplotlib's "viridis": lightness rises all the way, for all eyes. */
  const VIRIDIS =
    "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e21918c1f988b1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51bfde725";
  const colours = LN.colourMap(VIRIDIS);
  const colour = (value, low, high) =>
    colours[Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low))))];
  const order = Int32Array.from({ length: SIDE }, (_, i) => placeOf({ birth: i, survival: 0 })[0]);

  /* A bar of the colours: where they begin, end, and where a value lies. */
  function legend() {
    const bar = el("canvas", {
      class: "pixels scale",
      width: 256,
      height: 1,
      "aria-hidden": "true",
    });
    const image = new ImageData(256, 1);
    new Uint32Array(image.data.buffer).set(colours);
    LN.pen(bar).putImageData(image, 0, 0);
    const ends = [el("span"), el("span"), el("span")];
    const what = el("b");
    const pin = el("i", { class: "pin" });
    const node = el(
      "div",
      { class: "scale-of" },
      el("div", {}, what),
      el("div", { class: "bar-of" }, bar, pin),
      el("div", { class: "ends" }, ends),
    );
    return {
      node,
      /* The values at both ends and in the middle; at: the share of the way where the chosen rule lies. */
      show: (measure, values, at, note) => {
        what.textContent = `${measure.name}, ${measure.unit}${note ? `; ${note}` : ""}`;
        const more = [
          measure.below && !note ? " or less" : "",
          "",
          measure.above && !note ? " or more" : "",
        ];
        values.forEach((value, i) => {
          ends[i].textContent = LN.number(value * measure.times, measure.digits) + more[i];
        });
        pin.style.left = `${100 * Math.max(0, Math.min(1, at))}%`;
      },
    };
  }

  /* marks: rules with a name; tell(rule): what is said of a rule; pick(rule): it was chosen. */
  LN.lifeMap = ({ marks, tell, pick, moved }) => {
    const view = {
      x: 0,
      y: 0,
      span: SIDE,
      at: /** @type {[number, number]} */ ([0, 0]),
      walking: false,
      chosen: /** @type {LifeRule | null} */ (null),
      named: /** @type {string[]} */ ([]),
    };
    const picture = el("canvas", { width: SIDE, height: SIDE });
    const image = new ImageData(SIDE, SIDE);
    const pixels = new Uint32Array(image.data.buffer);
    const canvas = el("canvas", {
      class: "map",
      tabindex: 0,
      role: "application",
      style: { aspectRatio: "1" },
      "aria-label":
        "Map of all life-like rules. Arrow keys go from rule to rule, with Shift by sixteen; Enter runs a rule; plus and minus zoom, zero shows all.",
    });
    for (const mark of marks) mark.place = placeOf(mark.rule);

    /* values(index) in the order of the record. */
    function paint(values, low, high) {
      for (let row = 0, z = 0; row < SIDE; row++) {
        for (let column = 0, from = SIDE * order[row]; column < SIDE; column++)
          pixels[z++] = colour(values[from + order[column]], low, high);
      }
      LN.pen(picture).putImageData(image, 0, 0);
      draw();
    }
    const scale = () => canvas.clientWidth / view.span;
    function draw() {
      const ratio = Math.min(2, devicePixelRatio);
      const size = Math.round(canvas.clientWidth * ratio);
      if (!size) return;
      if (canvas.width !== size) canvas.width = canvas.height = size;
      const context = LN.pen(canvas);
      const cell = size / view.span;
      context.imageSmoothingEnabled = cell < 1;
      context.fillStyle = LN.css("shade");
      context.fillRect(0, 0, size, size);
      context.drawImage(picture, view.x, view.y, view.span, view.span, 0, 0, size, size);
      /** @returns {[number, number]} */
      const centre = ([column, row]) => [
        (column + 0.5 - view.x) * cell,
        (row + 0.5 - view.y) * cell,
      ];
      const inside = ([x, y]) => x > -20 && y > -20 && x < size + 20 && y < size + 20;
      const twice = (shape, width) => {
        for (const [style, wide] of [
          ["#000", width + 2],
          ["#fff", width],
        ]) {
          context.strokeStyle = context.fillStyle = style;
          context.lineWidth = wide * ratio;
          shape(style);
        }
      };
      const radius = Math.max(4 * ratio, Math.min(cell * 0.35, 12 * ratio));
      const shown = marks.filter((mark) => inside(centre(mark.place)));
      for (const mark of shown) {
        const [x, y] = centre(mark.place);
        twice(() => {
          context.beginPath();
          context.arc(x, y, radius, 0, 7);
          context.stroke();
        }, 1.2);
        if (mark.gliders) {
          context.beginPath();
          context.arc(x, y, 1.6 * ratio, 0, 7);
          context.fill();
        }
      }
      context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
      context.textBaseline = "middle";
      context.lineJoin = "round";
      /** @type {number[][]} */
      const boxes = [];
      const arm = Math.max(cell / 2, 9 * ratio);
      const reach = 10 * ratio;
      // The chosen rule's name comes first: where names would overlap, the later one is left out.
      const chosen = (mark) => view.chosen !== null && same(mark.rule, view.chosen);
      view.named = [];
      for (const mark of [...shown.filter(chosen), ...shown.filter((mark) => !chosen(mark))]) {
        if (!mark.labelled && !chosen(mark) && scale() < NEAR) continue;
        const [x, own] = centre(mark.place);
        const wide = context.measureText(mark.name).width;
        const gap = 4 * ratio + (chosen(mark) ? arm + reach : radius);
        const left = x + gap + wide < size ? x + gap : x - gap - wide;
        const high = 8 * ratio;
        const y = Math.max(high, Math.min(size - high, own));
        if (
          left < 0 ||
          boxes.some(
            ([a, b, c]) => left < b + 4 && left + wide > a - 4 && Math.abs(y - c) < 2 * high,
          )
        )
          continue;
        boxes.push([left, left + wide, y]);
        view.named.push(mark.name);
        twice((style) => {
          if (style === "#000") context.strokeText(mark.name, left, y);
          else context.fillText(mark.name, left, y);
        }, 2);
      }
      const box = (place, dash) => {
        const [x, y] = centre(place);
        const half = Math.max(cell / 2, 5 * ratio);
        context.setLineDash(dash ? [3 * ratio, 3 * ratio] : []);
        twice(() => context.strokeRect(x - half, y - half, 2 * half, 2 * half), 2);
        context.setLineDash([]);
      };
      if (view.chosen) {
        const [x, y] = centre(placeOf(view.chosen));
        twice(() => {
          for (const [dx, dy] of [
            [1, 0],
            [-1, 0],
            [0, 1],
            [0, -1],
          ]) {
            context.beginPath();
            context.moveTo(x + dx * arm, y + dy * arm);
            context.lineTo(x + dx * (arm + reach), y + dy * (arm + reach));
            context.stroke();
          }
        }, 2);
        box(placeOf(view.chosen));
      }
      if (view.walking) box(view.at, true);
      // With one finger the page scrolls over the whole map, and a part of the map is moved.
      canvas.style.touchAction = view.span < SIDE ? "none" : "pan-y";
      if (moved) moved(view);
    }
    const limit = (v) => Math.max(0, Math.min(SIDE - view.span, v));
    /* Where a place lies in the picture, as shares of it. */
    /** @returns {[number, number]} */
    const shareAt = ([column, row]) => [
      (column + 0.5 - view.x) / view.span,
      (row + 0.5 - view.y) / view.span,
    ];
    /* What stays where it is when nothing is pointed at: the chosen rule if it is in view, or the middle. */
    function focus() {
      const share = view.chosen ? shareAt(placeOf(view.chosen)) : [0.5, 0.5];
      return share.every((v) => v > 0 && v < 1) ? share : [0.5, 0.5];
    }
    /* Zoom so that the cell under (x, y), shares of the picture, stays there. */
    function zoom(factor, x, y) {
      if (x === undefined) [x, y] = focus();
      const span = Math.max(CLOSEST, Math.min(SIDE, view.span / factor));
      const by = view.span - span;
      view.span = span;
      view.x = limit(view.x + by * x);
      view.y = limit(view.y + by * y);
      draw();
    }
    function move(columns, rows) {
      view.x = limit(view.x + columns);
      view.y = limit(view.y + rows);
      draw();
    }
    function centreOn([column, row], span) {
      view.span = span;
      view.x = limit(column + 0.5 - span / 2);
      view.y = limit(row + 0.5 - span / 2);
      draw();
    }
    /** @returns {[number, number]} */
    const shareOf = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    /* The cell under the pointer; from afar, a mark that is nearly hit is what was meant. */
    function placeAt(event) {
      const [across, down] = shareOf(event);
      const [x, y] = [view.x + view.span * across, view.y + view.span * down];
      const inside = (v) => Math.max(0, Math.min(SIDE - 1, Math.floor(v)));
      const reach = scale() < NEAR ? (event.pointerType === "touch" ? 14 : 5) / scale() : 0;
      let best = null;
      let least = reach;
      for (const mark of marks) {
        const away = Math.hypot(mark.place[0] + 0.5 - x, mark.place[1] + 0.5 - y);
        if (away < least) {
          least = away;
          best = mark.place;
        }
      }
      return best || [inside(x), inside(y)];
    }
    function choose(rule) {
      view.chosen = rule;
      view.at = placeOf(rule);
      view.walking = false;
      const [column, row] = view.at;
      const edge = 0.03 * view.span;
      if (
        column < view.x + edge ||
        row < view.y + edge ||
        column > view.x + view.span - edge ||
        row > view.y + view.span - edge
      )
        centreOn(view.at, view.span);
      else draw();
    }

    const pointers = new Map();
    let far = 0;
    let gap = 0;
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pointers.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
      if (pointers.size === 1) far = 0;
      else {
        far = Infinity;
        gap = spread();
      }
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        const [column, row] = placeAt(event);
        LN.tip(event, tell(ruleAt(column, row)));
        return;
      }
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const wide = spread();
        const [a, b] = [...pointers.values()];
        const [x, y] = shareOf({
          clientX: (a.clientX + b.clientX) / 2,
          clientY: (a.clientY + b.clientY) / 2,
        });
        if (gap) zoom(wide / gap, x, y);
        gap = wide;
      } else {
        far += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
        LN.untip();
        move(
          (before.clientX - event.clientX) / scale(),
          (before.clientY - event.clientY) / scale(),
        );
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      const pressed = pointers.delete(event.pointerId);
      if (pressed && far < NEAR) {
        const [column, row] = placeAt(event);
        pick(ruleAt(column, row));
      }
    });
    canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", LN.untip);
    canvas.addEventListener(
      "wheel",
      (event) => {
        // The wheel alone scrolls the page; pinching on a touchpad comes with ctrlKey.
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        LN.untip();
        zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 300), ...shareOf(event));
      },
      { passive: false },
    );
    canvas.addEventListener("blur", () => {
      view.walking = false;
      LN.untip();
      draw();
    });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (way) walk(way, event.shiftKey ? 16 : 1);
      else if (event.key === "Enter" || event.key === " ") pick(ruleAt(...view.at));
      else if (event.key === "+" || event.key === "=") zoom(2, ...shareAt(view.at));
      else if (event.key === "-") zoom(0.5, ...shareAt(view.at));
      else if (event.key === "0") zoom(0);
      else return;
      event.preventDefault();
    });
    function walk(way, by) {
      const inside = (v) => Math.max(0, Math.min(SIDE - 1, v));
      const [column, row] = view.at;
      /** @type {[number, number]} */
      const at = [inside(column + by * way[0]), inside(row + by * way[1])];
      view.at = at;
      view.walking = true;
      if (
        at.some((v, i) => {
          const from = i ? view.y : view.x;
          return v < from || v >= from + view.span;
        })
      )
        centreOn(at, view.span);
      else draw();
      const box = canvas.getBoundingClientRect();
      LN.tip(
        {
          clientX: box.left + (at[0] + 1 - view.x) * scale(),
          clientY: box.top + (at[1] + 1 - view.y) * scale(),
        },
        tell(ruleAt(at[0], at[1])),
      );
    }
    LN.onwidth(canvas, draw);
    return {
      node: canvas,
      picture,
      paint,
      draw,
      choose,
      zoom,
      whole: () => zoom(0),
      goTo: (rule) => {
        centreOn(placeOf(rule), Math.min(view.span, 48));
        choose(rule);
      },
      view: () => ({ ...view }),
    };
  };
  LN.lifeMap.legend = legend;
  LN.lifeMap.colour = colour;
})();
