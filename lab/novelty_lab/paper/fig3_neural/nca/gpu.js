"use strict";
/* The training of training.js on a graphics card (WebGPU): the same draws, the same formulas, in
   single precision. The card runs the steps of the rule, the observer and both gradients; the
   small matrices H'H and H'Y come back, and the processor solves them in double.

   One workgroup is one site of one ring, and one invocation is one unit of the network. Every
   function is part of the text of a worker, as in training.js. */
(() => {
  /** The shaders for a trainer's sizes.
   * @param {any} trainer */
  function shaders({ sizes, SIZES, READS, ROWS }, chunks) {
    const { sites, radius, hidden, features, window } = sizes;
    const [A, AO, B, BO, P, PO] = SIZES.map((_, k) => SIZES.slice(0, k).reduce((s, v) => s + v, 0));
    const parameters = SIZES.reduce((s, v) => s + v, 0);
    const ends = SIZES.map((size, k) => SIZES.slice(0, k).reduce((s, v) => s + v, size));
    // What a step keeps of a row: inputs, z1, a1, z2, a2, length; of its gradient: du, d2, d1.
    const kept = READS + 4 * hidden + 1;
    const delta = 2 + 2 * hidden;
    const shared = `
      const H = ${hidden}u; const F = ${features}u; const READS = ${READS}u; const ROWS = ${ROWS}u;
      const KEPT = ${kept}u; const DELTA = ${delta}u; const T = ${window}u;
      const D = ${2 * window}u; const PARAMETERS = ${parameters}u; const CHUNKS = ${chunks}u;
      const A = ${A}u; const AO = ${AO}u; const B = ${B}u; const BO = ${BO}u;
      const P = ${P}u; const PO = ${PO}u;
      const Z1 = READS; const A1 = READS + H; const Z2 = READS + 2u * H; const A2 = READS + 3u * H;
      const LENGTH = READS + 4u * H;
      // Phi(x) to 1e-7 (Abramowitz and Stegun 26.2.17).
      fn below(x: f32) -> f32 {
        let t = 1.0 / (1.0 + 0.2316419 * abs(x));
        let tail = 0.3989422804 * exp(-0.5 * x * x) * t * (0.31938153 + t * (-0.356563782
          + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
        return select(tail, 1.0 - tail, x > 0.0);
      }
      fn gelu(x: f32) -> f32 { return x * below(x); }
      fn slope(x: f32) -> f32 { return below(x) + x * 0.3989422804 * exp(-0.5 * x * x); }
      // The row at some distance on the same ring.
      fn beside(row: u32, distance: i32) -> u32 {
        let ring = ${sites}u * (row / ${sites}u);
        let site = i32(row % ${sites}u) + distance + ${sites};
        return ring + u32(site) % ${sites}u;
      }
      fn read(row: u32, slot: u32) -> u32 {
        return 2u * beside(row, i32(slot / 2u) - ${radius}) + slot % 2u;
      }`;
    const buffer = (name, k) => {
      const kind = name === "order" ? "u32" : "f32";
      return `@group(0) @binding(${k}) var<storage, read_write> ${name}: array<${kind}>;`;
    };
    const buffers = (names) => names.map(buffer).join("\n");
    const head = (size) => `@compute @workgroup_size(${size})
      fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
        let row = group.x; let k = local.x;`;
    return {
      // x' = normalize(x + g(x))
      step: `${shared} ${buffers(["theta", "now", "next", "kept"])}
        var<workgroup> near: array<f32, READS>; var<workgroup> first: array<f32, H>;
        var<workgroup> second: array<f32, H>; var<workgroup> u: array<f32, 2>;
        ${head(hidden)}
        let base = row * KEPT;
        for (var i = k; i < READS; i += H) {
          near[i] = now[read(row, i)];
          kept[base + i] = near[i];
        }
        workgroupBarrier();
        var z = theta[AO + k];
        for (var i = 0u; i < READS; i++) { z += theta[A + k * READS + i] * near[i]; }
        first[k] = gelu(z);
        kept[base + Z1 + k] = z; kept[base + A1 + k] = first[k];
        workgroupBarrier();
        z = theta[BO + k];
        for (var i = 0u; i < H; i++) { z += theta[B + k * H + i] * first[i]; }
        second[k] = gelu(z);
        kept[base + Z2 + k] = z; kept[base + A2 + k] = second[k];
        workgroupBarrier();
        if (k < 2u) {
          var sum = theta[PO + k] + now[2u * row + k];
          for (var i = 0u; i < H; i++) { sum += theta[P + k * H + i] * second[i]; }
          u[k] = sum;
        }
        workgroupBarrier();
        if (k < 2u) {
          let size = sqrt(u[0] * u[0] + u[1] * u[1]);
          let length = select(size, 1.0, size == 0.0);
          next[2u * row + k] = u[k] / length;
          kept[base + LENGTH] = length;
        }
      }`,
      disturb: `${shared} ${buffers(["noise", "now"])}
        ${head(64)}
        let r = row * 64u + k;
        if (r >= ROWS) { return; }
        let c = now[2u * r] + noise[2u * r]; let s = now[2u * r + 1u] + noise[2u * r + 1u];
        let size = sqrt(c * c + s * s);
        let length = select(size, 1.0, size == 0.0);
        now[2u * r] = c / length; now[2u * r + 1u] = s / length;
      }`,
      // Two layers, each normalized over its units; the columns are standardized afterwards.
      observe: `${shared} ${buffers(["seen", "now", "h"])}
        var<workgroup> near: array<f32, READS>; var<workgroup> z: array<f32, F>;
        fn normalized(k: u32) -> f32 {
          var mean = 0.0; var variance = 0.0;
          for (var i = 0u; i < F; i++) { mean += z[i] / f32(F); }
          for (var i = 0u; i < F; i++) { variance += (z[i] - mean) * (z[i] - mean) / f32(F); }
          let v = (z[k] - mean) / sqrt(variance + 1e-5);
          return select(exp(v) - 1.0, v, v > 0.0);
        }
        ${head(features)}
        for (var i = k; i < READS; i += F) { near[i] = now[read(row, i)]; }
        workgroupBarrier();
        var sum = seen[F * READS + k];
        for (var i = 0u; i < READS; i++) { sum += seen[k * READS + i] * near[i]; }
        z[k] = sum;
        workgroupBarrier();
        let first = normalized(k);
        workgroupBarrier();
        z[k] = first;
        workgroupBarrier();
        let next = F * READS + F;
        sum = seen[next + F * F + k];
        for (var i = 0u; i < F; i++) { sum += seen[next + k * F + i] * z[i]; }
        workgroupBarrier();
        z[k] = sum;
        workgroupBarrier();
        h[row * F + k] = normalized(k);
      }`,
      standardize: `${shared} ${buffers(["h"])}
        var<workgroup> sums: array<f32, 64>;
        fn total(k: u32, value: f32) -> f32 {
          workgroupBarrier();
          sums[k] = value;
          workgroupBarrier();
          var sum = 0.0;
          for (var i = 0u; i < 64u; i++) { sum += sums[i]; }
          return sum;
        }
        ${head(64)}
        var own = 0.0;
        for (var r = k; r < ROWS; r += 64u) { own += h[r * F + row]; }
        let mean = total(k, own) / f32(ROWS);
        own = 0.0;
        for (var r = k; r < ROWS; r += 64u) { let v = h[r * F + row] - mean; own += v * v; }
        let square = total(k, own) / f32(ROWS);
        let scale = select(0.0, 1.0 / sqrt(square * f32(F)), square > 1e-12);
        for (var r = k; r < ROWS; r += 64u) { h[r * F + row] = (h[r * F + row] - mean) * scale; }
      }`,
      // Parts of H'H, of H'Y, and of H'Y with the rows in another order.
      moments: `${shared} ${buffers(["h", "y", "order", "sums"])}
        const WIDE = F + 2u * D;
        fn future(r: u32, i: u32) -> f32 { return y[(i / 2u) * 2u * ROWS + 2u * r + i % 2u]; }
        ${head(64)}
        let place = row * 64u + k;
        if (place >= F * WIDE) { return; }
        let i = place / WIDE; let j = place % WIDE;
        var sum = 0.0;
        for (var r = group.y; r < ROWS; r += CHUNKS) {
          var other = 0.0;
          if (j < F) { other = h[r * F + j]; }
          else if (j < F + D) { other = future(r, j - F); }
          else { other = future(order[r], j - F - D); }
          sum += h[r * F + i] * other;
        }
        sums[group.y * F * WIDE + place] = sum;
      }`,
      // dS/dY = H back, laid out as the states: (T, ROWS, 2).
      pull: `${shared} ${buffers(["h", "back", "dy"])}
        ${head(64)}
        let place = row * 64u + k;
        if (place >= ROWS * D) { return; }
        let t = place / (2u * ROWS); let r = (place / 2u) % ROWS; let c = place % 2u;
        var sum = 0.0;
        for (var i = 0u; i < F; i++) { sum += h[r * F + i] * back[i * D + 2u * t + c]; }
        dy[place] = sum;
      }`,
      // From the gradient of a state to those inside the step that made it.
      back: `${shared} ${buffers(["theta", "kept", "next", "dx", "dy", "delta", "dnear"])}
        var<workgroup> du: array<f32, 2>; var<workgroup> d2: array<f32, H>;
        var<workgroup> d1: array<f32, H>;
        ${head(hidden)}
        let base = row * KEPT; let to = row * DELTA;
        if (k < 2u) {
          let c = next[2u * row]; let s = next[2u * row + 1u];
          let gc = dx[2u * row] + dy[2u * row]; let gs = dx[2u * row + 1u] + dy[2u * row + 1u];
          let along = c * gc + s * gs;
          du[k] = select(gs - s * along, gc - c * along, k == 0u) / kept[base + LENGTH];
          delta[to + k] = du[k];
        }
        workgroupBarrier();
        d2[k] = (du[0] * theta[P + k] + du[1] * theta[P + H + k]) * slope(kept[base + Z2 + k]);
        delta[to + 2u + k] = d2[k];
        workgroupBarrier();
        var sum = 0.0;
        for (var o = 0u; o < H; o++) { sum += d2[o] * theta[B + o * H + k]; }
        d1[k] = sum * slope(kept[base + Z1 + k]);
        delta[to + 2u + H + k] = d1[k];
        workgroupBarrier();
        for (var i = k; i < READS; i += H) {
          sum = 0.0;
          for (var o = 0u; o < H; o++) { sum += d1[o] * theta[A + o * READS + i]; }
          dnear[row * READS + i] = sum;
        }
      }`,
      // The gradient of a state: through itself, and through every site that reads it.
      spread: `${shared} ${buffers(["delta", "dnear", "dx"])}
        ${head(64)}
        let place = row * 64u + k;
        if (place >= 2u * ROWS) { return; }
        let r = place / 2u; let c = place % 2u;
        var sum = delta[r * DELTA + c];
        for (var slot = c; slot < READS; slot += 2u) {
          sum += dnear[beside(r, ${radius} - i32(slot / 2u)) * READS + slot];
        }
        dx[place] = sum;
      }`,
      // Parts of the gradient by theta: one invocation is one weight.
      gradient: `${shared} ${buffers(["kept", "delta", "sums"])}
        ${head(64)}
        let q = row * 64u + k;
        if (q >= PARAMETERS) { return; }
        var d = 0u; var a = 0u; var offset = false;
        if (q < ${ends[0]}u) { d = 2u + H + q / READS; a = q % READS; }
        else if (q < ${ends[1]}u) { d = 2u + H + q - AO; offset = true; }
        else if (q < ${ends[2]}u) { d = 2u + (q - B) / H; a = A1 + (q - B) % H; }
        else if (q < ${ends[3]}u) { d = 2u + q - BO; offset = true; }
        else if (q < ${ends[4]}u) { d = (q - P) / H; a = A2 + (q - P) % H; }
        else { d = q - PO; offset = true; }
        var sum = 0.0;
        for (var n = group.y; n < T * ROWS; n += CHUNKS) {
          sum += delta[n * DELTA + d] * select(kept[n * KEPT + a], 1.0, offset);
        }
        sums[group.y * PARAMETERS + q] = sum;
      }`,
      kept,
      delta,
      parameters,
    };
  }

  /** A trainer whose measure runs on a graphics card; null where there is none.
   * @param {any} makeTrainer @param {any} makeShaders
   * @param {Partial<TrainingShape>} shape @param {boolean} software take a simulated card too */
  async function makeGpuTrainer(makeTrainer, makeShaders, shape, software) {
    const { gpu } = /** @type {any} */ (navigator);
    const adapter = await gpu?.requestAdapter();
    // A simulated card is slower than the small training on the processor.
    const simulated = adapter?.info?.isFallbackAdapter ?? adapter?.isFallbackAdapter;
    if (!adapter || (simulated && !software)) return null;
    const device = await adapter.requestDevice();
    const trainer = makeTrainer(shape);
    const { ROWS, READS, FEATURES, sizes } = trainer;
    const [D, CHUNKS] = [2 * sizes.window, 16];
    const made = makeShaders(trainer, CHUNKS);
    const [STORAGE, READABLE] = [0x80 | 0x08 | 0x04, 0x01 | 0x08];
    const wide = FEATURES * (FEATURES + 2 * D);
    const room = (count, usage = STORAGE) => device.createBuffer({ size: 4 * count, usage });

    const buffers = {
      theta: room(made.parameters),
      // The states of the window, the settled one first, and one more to take turns with it.
      states: room(2 * ROWS * (sizes.window + 2)),
      noise: room(2 * ROWS),
      seen: room(FEATURES * (READS + FEATURES + 2)),
      h: room(ROWS * FEATURES),
      order: room(ROWS),
      sums: room(CHUNKS * Math.max(wide, made.parameters)),
      back: room(FEATURES * D),
      dy: room(ROWS * D),
      dx: room(2 * ROWS),
      kept: room(sizes.window * ROWS * made.kept),
      delta: room(sizes.window * ROWS * made.delta),
      dnear: room(ROWS * READS),
      out: room(Math.max(CHUNKS * wide, CHUNKS * made.parameters, 2 * ROWS), READABLE),
    };
    const pipeline = (name) => {
      const module = device.createShaderModule({ code: made[name] });
      return device.createComputePipelineAsync({ layout: "auto", compute: { module } });
    };
    const names = "step disturb observe standardize moments pull back spread gradient".split(" ");
    const ready = await Promise.all(names.map(pipeline));
    const pipelines = Object.fromEntries(names.map((name, k) => [name, ready[k]]));

    /* Part k of a buffer that holds one part per step. */
    const slice = (buffer, count, k, parts = 1) => ({
      buffer,
      offset: 4 * count * k,
      size: 4 * count * parts,
    });
    const state = (k, parts) => slice(buffers.states, 2 * ROWS, k, parts);
    const whole = (name) => ({ buffer: buffers[name] });
    function run(encoder, name, resources, across, down = 1) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipelines[name]);
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const layout = pipelines[name].getBindGroupLayout(0);
      pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
      pass.dispatchWorkgroups(across, down);
      pass.end();
    }
    const send = (name, values, at = 0) =>
      device.queue.writeBuffer(
        buffers[name],
        4 * at,
        values instanceof Uint32Array ? values : Float32Array.from(values),
      );
    const submit = (write) => {
      const encoder = device.createCommandEncoder();
      write(encoder);
      device.queue.submit([encoder.finish()]);
    };
    async function bring(name, count) {
      submit((encoder) => encoder.copyBufferToBuffer(buffers[name], 0, buffers.out, 0, 4 * count));
      await buffers.out.mapAsync(1, 0, 4 * count);
      const found = new Float32Array(buffers.out.getMappedRange(0, 4 * count)).slice();
      buffers.out.unmap();
      return found;
    }
    /* The sum of the parts that invocations left, in double. */
    async function fetchSums(count) {
      const parts = await bring("sums", CHUNKS * count);
      const total = new Float64Array(count);
      for (let c = 0, z = 0; c < CHUNKS; c++)
        for (let i = 0; i < count; i++, z++) total[i] += parts[z];
      return total;
    }

    const kept = (t) => slice(buffers.kept, ROWS * made.kept, t);
    const delta = (t) => slice(buffers.delta, ROWS * made.delta, t);
    const step = (encoder, from, to, t) =>
      run(encoder, "step", [whole("theta"), state(from), state(to), kept(t)], ROWS);

    /* The first states after the burn-in, of an even number of steps, in the first place. */
    function settle({ first, noises }) {
      send("states", first);
      for (let t = 0; t < sizes.burnIn; t += 8) {
        send("noise", noises[t / 8]);
        submit((encoder) => {
          for (let s = t; s < Math.min(t + 8, sizes.burnIn); s++) {
            const [from, to] = s % 2 ? [sizes.window + 1, 0] : [0, sizes.window + 1];
            step(encoder, from, to, 0);
            if (s === t) run(encoder, "disturb", [whole("noise"), state(to)], Math.ceil(ROWS / 64));
          }
        });
      }
    }
    /* The window, the observer, and what the processor needs to solve. */
    function look({ observer, order }) {
      const [first, second] = observer;
      const parts = [first.weight, first.offset, second.weight, second.offset];
      send(
        "seen",
        parts.flatMap((part) => Array.from(part)),
      );
      send("order", order);
      submit((encoder) => {
        for (let t = 0; t < sizes.window; t++) step(encoder, t, t + 1, t);
        run(encoder, "observe", [whole("seen"), state(0), whole("h")], ROWS);
        run(encoder, "standardize", [whole("h")], FEATURES);
        const resources = [whole("h"), state(1, sizes.window), whole("order"), whole("sums")];
        run(encoder, "moments", resources, Math.ceil(wide / 64), CHUNKS);
      });
    }
    function descend(back) {
      send("back", back);
      send("dx", new Float32Array(2 * ROWS));
      submit((encoder) => {
        const place = Math.ceil((ROWS * D) / 64);
        run(encoder, "pull", [whole("h"), whole("back"), whole("dy")], place);
        for (let t = sizes.window - 1; t >= 0; t--) {
          const dy = slice(buffers.dy, 2 * ROWS, t);
          const own = [whole("theta"), kept(t), state(t + 1), whole("dx"), dy, delta(t)];
          run(encoder, "back", [...own, whole("dnear")], ROWS);
          const resources = [delta(t), whole("dnear"), whole("dx")];
          run(encoder, "spread", resources, Math.ceil((2 * ROWS) / 64));
        }
        const resources = [whole("kept"), whole("delta"), whole("sums")];
        run(encoder, "gradient", resources, Math.ceil(made.parameters / 64), CHUNKS);
      });
    }
    /* What trainer.measure returns, from the same draw. */
    async function measure(theta, drawn) {
      send("theta", theta);
      settle(drawn);
      look(drawn);
      const sums = await fetchSums(wide);
      const columns = FEATURES + 2 * D;
      const block = (from, count) =>
        Float64Array.from({ length: FEATURES * count }, (_, z) => {
          return sums[Math.floor(z / count) * columns + from + (z % count)];
        });
      const { bits, back } = trainer.scoreOf(block(0, FEATURES), block(FEATURES, D), D);
      const other = trainer.scoreOf(block(0, FEATURES), block(FEATURES + D, D), D);
      descend(back);
      return { bits, chance: other.bits, gradient: await fetchSums(made.parameters) };
    }
    return {
      ...trainer,
      measure,
      ascent: (seed) => trainer.ascent(seed, measure),
      /* For tests: the states of the last measure after its burn-in. */
      states: () => bring("states", 2 * ROWS),
      features: () => bring("h", ROWS * FEATURES),
      destroy: () => device.destroy(),
    };
  }
  LN.training = { ...LN.training, shaders, makeGpuTrainer };
})();
