import type { Progress } from "../../engine/progress.ts";

/** A view of a running plan on standard error. */
export interface LiveView {
  /** Shows new progress. The caller calls it about once a second. */
  update(progress: Progress): void;
  /** Shows one line of text. */
  showNote(text: string): void;
  /** Removes the view. Call it before anything else is written to standard error. */
  close(): void;
}
