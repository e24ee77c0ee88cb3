/* What tests ask of the elementary automata. */
interface Page {
  automata: {
    play(rule: number, cells: number[], steps: number): void;
    rows(): number[][];
    pixels(): number[];
    representative(rule: number): number;
  };
}
