/* What the page's scripts share, for the type checker: scripts find it all on the global LN. */

type Child = Node | string | null | undefined | Child[];
// biome-ignore lint/suspicious/noExplicitAny: attributes, styles and listeners of any element
type Attributes = Record<string, any>;
type Place = { clientX: number; clientY: number };
type Packed = { dtype: string; shape: number[]; base64: string };
type Points = number[][];

/* What is on a tab; app.js says what each field is for. */
interface Panel {
  name: string;
  title: string;
  lead: string;
  short?: string;
  /* Where in the story it stands; among the worlds if nothing is said. */
  chapter?: string;
  command?: string;
  terms?: string[];
  data?: string[];
  also?: string[];
  finding?(): string | null;
  build(root: HTMLElement): void;
  show?(): void;
  hide?(): void;
  theme?(): void;
  alias?: string;
  at?(): string;
  /* False if there is no such thing to show. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most panels always can, and return nothing
  goTo?(what: string): boolean | void;
}

/* A panel with what app.js keeps of it. */
interface OpenPanel extends Panel {
  tab: HTMLElement;
  root: HTMLElement;
  started?: boolean;
  ready?: boolean;
  /* Whether its record is missing. */
  absent?: boolean;
  /* What the address asked for before it was ready. */
  asked?: string;
}

/* What another artefact adds at the end of a panel. */
interface Part {
  panel: string;
  data: string[];
  build(root: HTMLElement): void;
}

interface Axis {
  label?: string;
  log?: boolean;
  ticks?: number[];
  domain?: number[];
  count?: number;
}

/* From values to pixels. */
interface Scale {
  place(value: number): number;
  ticks: number[];
}

/* Where the parts of a chart lie, in pixels. */
interface Layout {
  width: number;
  height: number;
  box: { left: number; right: number; top: number; bottom: number };
  x: Scale;
  y: Scale;
}

interface Series {
  name: string;
  colour: string;
  points: Points;
  /* An interval around the line: rows of x, low and high. */
  band?: Points | null;
  /* What the interval is; 95% if nothing is said. */
  around?: string;
  dash?: boolean;
  dots?: boolean | "joined";
  width?: number;
  faint?: boolean;
  /* Whether the legend leaves it out. */
  unnamed?: boolean;
}

/* A published mean and standard deviation, drawn right of the curves. */
interface Reference {
  name: string;
  mean: number;
  sd: number;
  colour: string;
}

interface LineChart {
  label: string;
  x: Axis;
  y: Axis;
  series: Series[];
  references?: Reference[];
  height?: number;
  /* y of a level line. */
  level?: number;
  /* x of an upright line. */
  mark?: number;
  /* Further entries of the legend. */
  extra?: Node[];
  /* What is said where there is nothing to draw. */
  empty?: string;
}

type Key = string | number;

interface Bar {
  key: Key;
  name: string;
  value: number;
  sd?: number;
  /* A second value, drawn as a dash across the bar. */
  dash?: number;
  colour: string;
  text: string;
}

interface BarChart {
  label: string;
  x: string;
  y: string;
  bars: Bar[];
  height?: number;
  names?: boolean;
  chosen?: Key;
  choose?(key: Key): void;
}

interface Row {
  cells: Child[];
  mark?: string | null;
  key?: string;
}

/* What is scored in the browser; observer/score.js says what the fields are. */
interface ScoreRequest {
  inputs: Float64Array[];
  targets?: Float64Array[];
  window?: number;
  history?: number;
  draws?: number;
  shuffles?: number | "auto";
  ridge?: number | "evidence";
  seed?: number;
  linearLast?: boolean;
}

/* The names of learnable_novelty.Score. */
interface Scored {
  bits: number;
  explained_variance: number;
  held_out_variance: number;
  held_out_interval: number[];
  linear_variance: number;
  linear_interval: number[];
  p_value: number | null;
  dependence_p_value: number | null;
  null_count: number;
  num_samples: number;
  target_dim: number;
  draws: number;
  is_series: boolean;
  refusal: string | null;
  cautions: string[];
  points: Points;
}

interface Observer {
  score(request: ScoreRequest, report?: (share: number) => void): Promise<Scored>;
  stop(): void;
  // biome-ignore lint/suspicious/noExplicitAny: the functions of all parts, for tests
  parts: any;
  Refusal: new (message: string) => Error;
  Stopped: new (message: string) => Error;
}

/* Artefacts whose scripts share more add to this in their own folders. */
interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: records are of many forms
  data: Record<string, any>;
  panels: Panel[];
  parts: Part[];
  // biome-ignore lint/suspicious/noExplicitAny: each file adds its own functions
  observerParts: ((ob: any) => void)[];
  observer: Observer;
  // biome-ignore lint/suspicious/noExplicitAny: the files of the first tab share it
  start: any;
  // biome-ignore lint/suspicious/noExplicitAny: the files that read tables share it
  tables: any;
  // biome-ignore lint/suspicious/noExplicitAny: the files of Your data share it
  yours: any;
  el<T extends keyof HTMLElementTagNameMap>(
    tag: T,
    attributes?: Attributes,
    ...children: Child[]
  ): HTMLElementTagNameMap[T];
  svg<T extends keyof SVGElementTagNameMap>(
    tag: T,
    attributes?: Attributes,
    ...children: Child[]
  ): SVGElementTagNameMap[T];
  figure(content: Child, caption: Child, paper?: string): HTMLElement;
  /* Rows of name, value and perhaps a unit. */
  stats(entries: (Key | undefined)[][]): HTMLElement;
  select(
    label: string,
    options: Key[][],
    value: Key,
    change: (key: string) => void,
  ): HTMLLabelElement;
  /* Set the value of a select. */
  selected(label: HTMLLabelElement, value: Key): void;
  table(
    heads: string[],
    rows: Row[],
    numeric?: ((column: number) => boolean) | null,
    stack?: boolean,
  ): HTMLElement;
  // biome-ignore lint/suspicious/noExplicitAny: as data
  need(name: string, done: (content: any) => void, failed?: () => void): void;
  has(name: string): boolean;
  unpack(packed: Packed): Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array;
  pen(canvas: HTMLCanvasElement): CanvasRenderingContext2D;
  colourMap(stops: string, circular?: boolean): Uint32Array;
  visible(text: string): string;
  still: boolean;
  css(name: string): string;
  paint(colour: string): string;
  rgb(name: string): number[];
  tip(place: Place, text: string, picture?: Node | null): void;
  untip(): void;
  number(value: number | string, digits: number): string;
  range(values: number[], digits: number): string;
  rows(count: number): string;
  mean(values: number[]): number;
  count(n: number, one: string, many?: string): string;
  swatch(colour: string, line?: "line" | "dash"): HTMLElement;
  onwidth(node: Element, draw: (width: number) => void): void;
  /* Tell the address that a panel shows something else; sliding: one of many changes in a row. */
  changed(sliding?: boolean): void;
  /* The panel that is open. */
  current(): OpenPanel;
  terms: Record<string, string>;
  listed(names: string[]): HTMLElement;
  defined(names: string[]): HTMLElement;
  charts: {
    short(value: number): string;
    scale(axis: Axis, values: number[], from: number, to: number): Scale;
    segment(
      x1: number,
      y1: number,
      x2: number,
      y2: number,
      style: Attributes,
      other?: Attributes,
    ): SVGLineElement;
    frame(layout: Layout, labels: { label: string; across?: string; up?: string }): SVGSVGElement;
    lines(spec: LineChart): { node: HTMLElement; update(changes: Partial<LineChart>): void };
    bars(spec: BarChart): { node: HTMLElement; mark(key: Key): void };
  };
}

declare const LN: Page;
