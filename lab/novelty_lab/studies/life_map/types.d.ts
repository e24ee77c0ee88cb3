/* What the scripts of the life-like rules share. */

/* Two masks of nine bits: with bit k of `birth` a cell with k living neighbours is born. */
type LifeRule = { birth: number; survival: number };
type LifeAgain = { excess: number; halfWidth: number };

interface LifeTorus {
  width: number;
  height: number;
  time: number;
  words: Uint32Array;
  get(x: number, y: number): number;
  set(x: number, y: number, alive: number | boolean): void;
  clear(): void;
  soup(density: number, random?: () => number): void;
  step(rule: LifeRule): void;
  paint(pixels: Uint32Array, on: number, off: number): void;
  population(): number;
}

interface LifeMeasure {
  name: string;
  unit: string;
  times: number;
  digits: number;
  above?: boolean;
  below?: boolean;
}

interface Page {
  life: {
    parse(text: string): LifeRule | null;
    ruleFrom(text: string): LifeRule;
    write(rule: LifeRule): string;
    same(a: LifeRule, b: LifeRule): boolean;
    placeOf(rule: LifeRule): [column: number, row: number];
    ruleAt(column: number, row: number): LifeRule;
    indexOf(rule: LifeRule): number;
    ruleOf(index: number): LifeRule;
    ofCode(code: number): LifeRule;
    complement(rule: LifeRule): LifeRule;
    neighbours(rule: LifeRule): { rule: LifeRule; change: string }[];
    lambda(rule: LifeRule): number;
    flashes(rule: LifeRule): boolean;
    Torus: new (width: number, height: number) => LifeTorus;
    // biome-ignore lint/suspicious/noExplicitAny: for tests
    panel?: any;
  };
  // biome-ignore-start lint/suspicious/noExplicitAny: made and used by these scripts alone
  lifeRecord: any;
  lifeMap: any;
  lifeWorld: any;
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
}
