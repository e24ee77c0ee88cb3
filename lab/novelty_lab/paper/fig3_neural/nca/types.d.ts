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

/* What is trained in the page: rings of sites, the rule, the observer, and how far ahead it looks. */
interface TrainingShape {
  sites: number;
  rings: number;
  radius: number;
  hidden: number;
  features: number;
  window: number;
  burnIn: number;
}

interface LiveTraining {
  node: HTMLElement;
  state(): { running: boolean; bits: number[] };
  toggle(): void;
  show(): void;
  hide(): void;
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
  training: {
    // biome-ignore lint/suspicious/noExplicitAny: it also is the text of a worker
    makeTrainer(shape?: Partial<TrainingShape>): any;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    shaders(trainer: any, chunks: number): any;
    makeGpuTrainer(
      // biome-ignore lint/suspicious/noExplicitAny: as above
      makeTrainer: any,
      // biome-ignore lint/suspicious/noExplicitAny: as above
      makeShaders: any,
      shape: Partial<TrainingShape>,
      software: boolean,
      // biome-ignore lint/suspicious/noExplicitAny: as above
    ): Promise<any>;
    startWorker(): Worker;
    /* The figure in which a rule is trained; colours of directions. */
    live(colours: Uint32Array): LiveTraining;
    figure?: LiveTraining;
  };
}
