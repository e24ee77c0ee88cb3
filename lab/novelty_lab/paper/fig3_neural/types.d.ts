/* What the scripts of the neural automaton share. */

interface NeuralLayer {
  weight: Float64Array;
  offset: Float64Array;
  reads: number;
}

/* A checkpoint with its batch normalization folded in. */
interface NeuralRule {
  lift: NeuralLayer;
  inner: NeuralLayer;
  project: Float64Array;
  bias: Float64Array;
  hidden: number;
  radius: number;
}

interface NeuralRing {
  width: number;
  /* Two numbers per site: the cosine and the sine of its direction. */
  state: Float64Array;
  randomize(): void;
  point(site: number, angle: number): void;
  step(rule: NeuralRule, residual: boolean): void;
}

type Numbers = Float32Array | Float64Array;

interface Page {
  neural: {
    gelu(x: number): number;
    fold(vector: Numbers, hidden: number, radius: number): NeuralRule;
    Ring: new (width: number) => NeuralRing;
    /* Of 256 directions. */
    colours: Uint32Array;
  };
}
