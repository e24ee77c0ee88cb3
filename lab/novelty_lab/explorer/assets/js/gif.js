"use strict";
/* A GIF (89a) of a few colours, written byte by byte: a palette, frames packed by LZW, an endless loop. */
(() => {
  const MOST_CODES = 4096;
  const word = (value) => [value & 255, value >> 8];
  const text = (letters) => Array.from(letters, (c) => c.charCodeAt(0));

  /* LZW: the longest run of pixels that was seen before is one code; codes grow from depth + 1 to 12 bits. */
  function packed(pixels, depth) {
    const clear = 1 << depth;
    const bytes = [];
    let held = 0;
    let filled = 0;
    let bits = depth + 1;
    const put = (code) => {
      held |= code << filled;
      for (filled += bits; filled >= 8; filled -= 8) {
        bytes.push(held & 255);
        held >>>= 8;
      }
    };
    // The code of a run and one more pixel, at 256 * run + pixel.
    const table = new Int16Array(MOST_CODES << 8);
    let next = clear + 2;
    put(clear);
    let run = pixels[0];
    for (let i = 1; i < pixels.length; i++) {
      const at = (run << 8) | pixels[i];
      if (table[at]) {
        run = table[at];
        continue;
      }
      put(run);
      run = pixels[i];
      if (next === MOST_CODES) {
        put(clear);
        table.fill(0);
        next = clear + 2;
        bits = depth + 1;
      } else {
        if (next === 1 << bits) bits++;
        table[at] = next++;
      }
    }
    put(run);
    put(clear + 1);
    if (filled) bytes.push(held & 255);
    return bytes;
  }
  /* Blocks of at most 255 bytes, each after its length. */
  function blocks(bytes) {
    const all = [];
    for (let i = 0; i < bytes.length; i += 255) {
      const block = bytes.slice(i, i + 255);
      all.push(block.length, ...block);
    }
    return [...all, 0];
  }

  LN.gif = ({ width, height }, palette, frames, delay) => {
    const depth = Math.max(2, Math.ceil(Math.log2(palette.length)));
    if (depth > 8) throw new Error(`a GIF has at most 256 colours, got ${palette.length}`);
    const colours = Array.from({ length: 1 << depth }, (_, i) => palette[i] || [0, 0, 0]).flat();
    const size = [...word(width), ...word(height)];
    const loop = [0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0];
    const parts = [[...text("GIF89a"), ...size, 0xf0 | (depth - 1), 0, 0, ...colours, ...loop]];
    for (const pixels of frames) {
      parts.push([0x21, 0xf9, 4, 0, ...word(delay), 0, 0]);
      parts.push([0x2c, 0, 0, 0, 0, ...size, 0, depth]);
      parts.push(blocks(packed(pixels, depth)));
    }
    parts.push([0x3b]);
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
})();
