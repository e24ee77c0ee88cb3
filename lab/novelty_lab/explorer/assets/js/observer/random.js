"use strict";
/* Chance as Python has it: seeds split by label (SHA-256), the Mersenne twister of torch.rand in
   double precision, and NumPy's default_rng (SeedSequence, PCG64) with its permutations. */
LN.observerParts.push((ob) => {
  const K = Uint32Array.from(
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2".split(
      " ",
    ),
    (word) => parseInt(word, 16),
  );
  const START = "6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19";
  const turn = (word, by) => (word >>> by) | (word << (32 - by));

  /* SHA-256 of a text without characters beyond ASCII, as eight words (FIPS 180-4). */
  function sha256(text) {
    const length = text.length;
    const bytes = new Uint8Array((((length + 8) >> 6) + 1) << 6);
    for (let i = 0; i < length; i++) bytes[i] = text.charCodeAt(i);
    bytes[length] = 128;
    const view = new DataView(bytes.buffer);
    view.setUint32(bytes.length - 4, 8 * length);
    const hash = Uint32Array.from(START.split(" "), (word) => parseInt(word, 16));
    const w = new Uint32Array(64);
    for (let at = 0; at < bytes.length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const low = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const high = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = w[i - 16] + low + w[i - 7] + high;
      }
      let [a, b, c, d, e, f, g, h] = hash;
      for (let i = 0; i < 64; i++) {
        const up = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        const one = (h + up + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
        const down = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        const two = (down + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((value, i) => {
        hash[i] += value;
      });
    }
    return hash;
  }

  /* The child of a seed for one labelled use, as learnable_novelty.seeds.split. */
  ob.split = (seed, ...labels) => {
    const named = labels.map((label) => (typeof label === "string" ? `'${label}'` : label));
    const hash = sha256([seed, ...named].join("/"));
    return ((BigInt(hash[0]) << 32n) | BigInt(hash[1])) >> 1n;
  };

  /* torch.Generator().manual_seed(seed) and torch.rand in double precision: the twister MT19937 of
     Matsumoto and Nishimura, two words to a number, of which the low 53 bits count. */
  ob.torchUniform = (seed) => {
    const N = 624;
    const state = new Uint32Array(N);
    state[0] = Number(BigInt(seed) & 0xffffffffn);
    for (let i = 1; i < N; i++) {
      state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
    let at = N;
    const refill = () => {
      for (let i = 0; i < N; i++) {
        const next = i + 1 < N ? i + 1 : 0;
        const y = (state[i] & 0x80000000) | (state[next] & 0x7fffffff);
        const far = i + 397 < N ? i + 397 : i + 397 - N;
        state[i] = state[far] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    };
    const word = () => {
      if (at === N) refill();
      let y = state[at++];
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return (y ^ (y >>> 18)) >>> 0;
    };
    return () => {
      const high = word() & 0x1fffff;
      return (high * 2 ** 32 + word()) * 2 ** -53;
    };
  };

  /* The words that NumPy's SeedSequence makes of a seed: O'Neill's seed_seq, four words of pool. */
  function seedSequence(seed, count) {
    const words = [];
    for (let left = BigInt(seed); left > 0n || !words.length; left >>= 32n) {
      words.push(Number(left & 0xffffffffn));
    }
    let constant = 0x43b0d7e5;
    const hashed = (value) => {
      let mixed = value ^ constant;
      constant = Math.imul(constant, 0x931e8875);
      mixed = Math.imul(mixed, constant);
      return (mixed ^ (mixed >>> 16)) >>> 0;
    };
    const mix = (x, y) => {
      const both = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y);
      return (both ^ (both >>> 16)) >>> 0;
    };
    const pool = [0, 1, 2, 3].map((i) => hashed(words[i] ?? 0));
    for (let from = 0; from < 4; from++)
      for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hashed(pool[from]));
    for (let from = 4; from < words.length; from++)
      for (let to = 0; to < 4; to++) pool[to] = mix(pool[to], hashed(words[from]));
    let other = 0x8b51f9dd;
    return Array.from({ length: count }, (_, i) => {
      let value = pool[i % 4] ^ other;
      other = Math.imul(other, 0x58f38ded);
      value = Math.imul(value, other);
      return (value ^ (value >>> 16)) >>> 0;
    });
  }

  const MULTIPLIER = [0x9fccf645, 0x4385df64, 0x1fc65da4, 0x2360ed05];
  let high = 0;
  /* The low word of a product of words; the high word is left in `high`. */
  function product(a, b) {
    const al = a & 0xffff;
    const ah = a >>> 16;
    const bl = b & 0xffff;
    const bh = b >>> 16;
    const low = al * bl;
    const middle = ah * bl + (low >>> 16);
    const other = al * bh + (middle & 0xffff);
    high = ah * bh + ((middle / 65536) | 0) + ((other / 65536) | 0);
    return Math.imul(a, b) >>> 0;
  }

  /* NumPy's default_rng(seed): words of 32 bits from PCG64 (XSL-RR on 128 bits), low half first. */
  ob.numpyWords = (seed) => {
    const seeded = seedSequence(seed, 8);
    const [s3, s2, s1, s0, i3, i2, i1, i0] = [1, 0, 3, 2, 5, 4, 7, 6].map((i) => seeded[i]);
    // The increment is odd: shifted by one, and one added.
    const step = [(i0 << 1) | 1, (i1 << 1) | (i0 >>> 31), (i2 << 1) | (i1 >>> 31)];
    step.push((i3 << 1) | (i2 >>> 31));
    const state = new Uint32Array(4);
    const add = (words) => {
      let carry = 0;
      for (let i = 0; i < 4; i++) {
        const sum = state[i] + (words[i] >>> 0) + carry;
        state[i] = sum;
        carry = sum > 0xffffffff ? 1 : 0;
      }
    };
    const sums = new Float64Array(4);
    const advance = () => {
      sums.fill(0);
      for (let i = 0; i < 4; i++)
        for (let j = 0; i + j < 4; j++) {
          sums[i + j] += product(state[i], MULTIPLIER[j]);
          if (i + j < 3) sums[i + j + 1] += high;
        }
      let carry = 0;
      for (let i = 0; i < 4; i++) {
        const sum = sums[i] + carry;
        carry = (sum / 4294967296) | 0;
        state[i] = sum - carry * 4294967296;
      }
      add(step);
    };
    advance();
    add([s0, s1, s2, s3]);
    advance();
    let kept = -1;
    return () => {
      if (kept >= 0) {
        const word = kept;
        kept = -1;
        return word;
      }
      advance();
      const by = state[3] >>> 26;
      const swapped = by >> 5; // a turn by 32 bits or more begins with the other half
      const a = state[swapped] ^ state[2 + swapped];
      const b = state[1 - swapped] ^ state[3 - swapped];
      const rest = by & 31;
      kept = (rest ? (b >>> rest) | (a << (32 - rest)) : b) >>> 0;
      return (rest ? (a >>> rest) | (b << (32 - rest)) : a) >>> 0;
    };
  };

  /* A whole number from 0 to `most`, each as likely (Lemire 2019). */
  function bounded(words, most) {
    if (most === 0) return 0;
    const size = most + 1;
    let left = product(words(), size);
    if (left < size) {
      const least = (0xffffffff - most) % size;
      while (left < least) left = product(words(), size);
    }
    return high;
  }
  ob.integers = (words, below, count) => {
    const drawn = new Uint32Array(count);
    for (let i = 0; i < count; i++) drawn[i] = bounded(words, below - 1);
    return drawn;
  };
  /* Numbers from 0 to 1: 53 bits of two words, the lower one first. */
  ob.fractions = (words, count) =>
    Float64Array.from({ length: count }, () => {
      const low = words();
      return (words() * 2097152 + (low >>> 11)) / 9007199254740992;
    });
  /* Fisher and Yates, with numbers that are drawn again while they are too large. */
  ob.permutation = (words, size) => {
    const order = Uint32Array.from({ length: size }, (_, i) => i);
    for (let i = size - 1; i > 0; i--) {
      const mask = 0xffffffff >>> Math.clz32(i);
      let j = words() & mask;
      while (j > i) j = words() & mask;
      const moved = order[i];
      order[i] = order[j];
      order[j] = moved;
    }
    return order;
  };
  ob.words = (seed, ...labels) => ob.numpyWords(ob.split(seed, ...labels));
});
