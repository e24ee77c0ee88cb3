/* What the scripts of the rooms share. */

interface CorridorStart {
  cell: number;
  automaton: number;
  clock: number;
  angle: number;
}

type Payments = Record<"surprise" | "progress" | "epiplexity" | "excess" | "counts", number>;

interface LearnerParts {
  window: number;
  ridge_penalty: number;
  layers: ArrayLike<number>[][];
  tables: Record<string, ArrayLike<number>>;
}

interface Page {
  // biome-ignore-start lint/suspicious/noExplicitAny: classes of these scripts alone
  rooms: {
    Corridor: new (
      tables: any,
      order: string[],
      start?: Partial<CorridorStart>,
      random?: () => number,
    ) => any;
    Learner: new (parts: LearnerParts) => any;
    /* The figure in which readers walk. */
    play(): {
      node: HTMLElement;
      draw(): void;
      step(move: number): void;
      state(): any;
      show(): void;
      hide(): void;
      at(): string;
      goTo(drive: string): boolean;
    };
    /* For tests: the figure as it stands. */
    figure?: any;
  };
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
}
