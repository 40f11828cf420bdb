import type { Progress } from "../../engine/summary.ts";

/** What is shown on standard error while a run goes on. */
export interface LiveView {
  /** To be called about once a second. */
  update(progress: Progress): void;
  /** Says one line to whoever watches. */
  say(text: string): void;
  /** Takes away what is to be redrawn; call it before anything else is written there. */
  close(): void;
}
