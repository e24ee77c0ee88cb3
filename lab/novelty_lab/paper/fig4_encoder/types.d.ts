/* What tests ask of the encoder's map. */
interface Page {
  encoder: { shows(): boolean; image(number: number): number[] };
}
