import type { ResponseSnapshot } from "./response_snapshot.ts";
import type { SentTexts } from "./trial.ts";

/** A live response to a call, in one iteration of one user. */
export interface LiveStep extends SentTexts {
  readonly response: ResponseSnapshot;
  /**
   * Returns the live response to an earlier call of the same iteration, or undefined if values must
   * not be learned from that response. Absent if values may be learned from every response.
   */
  readonly responseTo?: (index: number) => ResponseSnapshot | undefined;
  /** Sets a variable of the user. */
  set(variable: string, value: unknown): void;
}
