import type { ResponseSnapshot } from "./response_snapshot.ts";
import type { SentTexts } from "./row_texts.ts";

/** A live response to a call, in one iteration of one user. */
export interface LiveStep extends SentTexts {
  readonly response: ResponseSnapshot;
  /**
   * Returns the live response to an earlier call of the same iteration, if it is evidence. Absent if
   * every response is.
   */
  readonly responseTo?: (index: number) => ResponseSnapshot | undefined;
  /** Sets a variable of the user. */
  set(variable: string, value: unknown): void;
}
