"use strict";
/* The corridor of five rooms, as in world.py: an observation is a place and the screen of its room. */
(() => {
  const CLOCK_PERIOD = 8;
  const LIMIT = Math.sqrt(3);
  const STIFFNESS = ((2 * Math.PI) / 16) ** 2;
  const DAMPING = 0.02;
  const STRENGTH = 0.1;

  /* One episode. */
  class Corridor {
    /** @param {Record<string, any>} tables what screens show @param {string[]} order of the rooms
     * @param {Partial<CorridorStart>} [start] what is not drawn at random */
    constructor(tables, order, start = {}, random = Math.random) {
      this.tables = tables;
      this.order = order;
      this.random = random;
      this.cells = tables.places.length;
      this.pixels = tables.faces.length / CLOCK_PERIOD;
      const below = (n) => Math.floor(n * this.random());
      this.start = {
        cell: below(this.cells),
        automaton: below(this.tables.orbit.length / this.pixels),
        clock: below(CLOCK_PERIOD),
        angle: Math.PI * (2 * this.random() - 1),
        ...start,
      };
      this.cell = this.start.cell;
      this.angle = this.start.angle;
      this.before = this.angle;
      this.velocity = 0;
      this.time = 0;
    }
    room() {
      return this.order[Math.floor((this.cell * this.order.length) / this.cells)];
    }
    /* Walk left (-1), stay (0) or walk right (1). Steps in its room push the pendulum. */
    step(move) {
      const from = this.cell;
      const room = this.room();
      this.cell = Math.max(0, Math.min(this.cells - 1, from + move));
      const push = room === "pendulum" ? this.cell - from : 0;
      const force = STRENGTH * push - STIFFNESS * Math.sin(this.angle);
      this.velocity += force - DAMPING * this.velocity;
      this.before = this.angle;
      this.angle += this.velocity;
      this.time++;
      return this.observe();
    }
    /* In single precision, as agents see it. */
    observe() {
      const { places, orbit, faces, waves } = this.tables;
      const seen = new Float32Array(1 + this.pixels);
      seen[0] = places[this.cell];
      const room = this.room();
      const from = (count, start) => ((start + this.time) % count) * this.pixels;
      const circle = [this.angle, this.before].flatMap((a) => [Math.cos(a), Math.sin(a)]);
      for (let i = 0; i < this.pixels; i++) {
        if (room === "noise") seen[1 + i] = LIMIT * (2 * this.random() - 1);
        else if (room === "clock") seen[1 + i] = faces[from(CLOCK_PERIOD, this.start.clock) + i];
        else if (room === "automaton")
          seen[1 + i] = orbit[from(orbit.length / this.pixels, this.start.automaton) + i];
        else if (room === "pendulum")
          seen[1 + i] = circle.reduce((sum, v, k) => sum + v * waves[k * this.pixels + i], 0);
      }
      return seen;
    }
  }
  LN.rooms = /** @type {any} */ ({ Corridor });
})();
