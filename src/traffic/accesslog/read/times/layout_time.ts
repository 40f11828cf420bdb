import type { Notation, TimeReader } from "./notation.ts";
import { TimeLayout } from "./time_layout.ts";

/** Timestamps in an strftime layout that no other notation covers. */
export const layout: Notation = {
  sample: "Sat Nov 21 10:00:00 2026",
  characters: /[^]/,
  reader: (layout) => new LayoutTimeReader(layout),
};

class LayoutTimeReader implements TimeReader {
  readonly #layout: TimeLayout;

  constructor(layout: string) {
    this.#layout = new TimeLayout(layout);
  }

  get hasZone(): boolean {
    return this.#layout.hasZone;
  }

  read(_view: DataView, bytes: Uint8Array, from: number, to: number): number {
    return this.#layout.read(bytes, from, to);
  }
}
