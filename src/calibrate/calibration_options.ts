import type { Origin, Sender } from "../http/sender.ts";

/** Options for `calibratePlan`. */
export interface CalibrationOptions {
  readonly sender: Sender;
  /** Reports whether requests may be sent to an origin. */
  readonly isAllowed: (origin: Origin) => boolean;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  /** Waits for a number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum total waiting time of the calibration, in milliseconds (default: one minute). */
  readonly patience?: number;
  /** True to keep variables that always had the recorded value. */
  readonly keepConstants?: boolean;
  /** Returns the time in Unix milliseconds. */
  readonly now: () => number;
  /**
   * When aborted, the calibration ends early. `calibratePlan` still resolves, but the plan is not
   * proven.
   */
  readonly interrupt?: AbortSignal;
  /** Hides the secrets of the plan in recorded and live text before the text is truncated. */
  readonly redact?: (text: string) => string;
  /** Called with a line of text before each round and before each wait during a round. */
  readonly onRound?: (name: string) => void;
}
