import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { FreshValues } from "../values/fresh_values.ts";

interface Given {
  readonly fresh: string;
  readonly iteration: number;
}

/**
 * A user of the mock server: the calls made so far, and the fresh values that replace recorded
 * ones. The key of a value is the recorded value itself or, for a short id, NUL, the kind of the
 * id, NUL and the id.
 */
export class MockUser {
  readonly name: string;
  /** Zero-based index of the current iteration. */
  iteration = 0;
  /** Recorded calls that the user's requests have matched in the current iteration. */
  readonly taken: Set<RecordedCall> = new Set();
  /**
   * Target of the last response if it was a redirect to a URL outside the recording, or undefined
   * otherwise.
   */
  externalRedirect: string | undefined;
  /**
   * Target of the last response if it was a redirect, without its fragment, or undefined otherwise.
   */
  redirect: string | undefined;
  readonly #values: FreshValues;
  readonly #given = new Map<string, Given>();
  readonly #sent = new Map<string, string>();
  readonly #shift: number;

  constructor(name: string, values: FreshValues) {
    this.name = name;
    this.#values = values;
    this.#shift = values.shift();
  }

  /** Starts an iteration: each recorded call can be matched again. */
  begin(iteration: number): void {
    if (iteration === this.iteration) return;
    this.iteration = iteration;
    this.taken.clear();
  }

  /** Reports whether a fresh value for a key was generated for this user. */
  has(key: string): boolean {
    return this.#given.has(key);
  }

  /** Returns the user's fresh value for a key, or undefined if no value was generated yet. */
  current(key: string): string | undefined {
    return this.#given.get(key)?.fresh;
  }

  /** Returns the user's fresh value for a key. Generates it on the first call. */
  valueOf(key: string): string {
    return this.#given.get(key)?.fresh ?? this.#renew(key);
  }

  /**
   * Generates a new fresh value for a key if `always` is true, or if the user has no value from the
   * current iteration.
   */
  renew(key: string, always: boolean): void {
    const given = this.#given.get(key);
    if (given === undefined || always || given.iteration !== this.iteration) {
      this.#renew(key);
    }
  }

  /** Records that the plan sent `sent` in place of `recorded`, a client-generated value or text. */
  replace(recorded: string, sent: string): void {
    this.#sent.set(recorded, sent);
  }

  /**
   * Returns the text that the plan last sent in place of `recorded`, which is a client-generated
   * value or text. Returns `recorded` itself if the plan has not sent any replacement.
   */
  sentFor(recorded: string): string {
    return this.#sent.get(recorded) ?? recorded;
  }

  #renew(key: string): string {
    const fresh = this.#values.generate(key, this.name, this.#shift);
    this.#given.set(key, { fresh, iteration: this.iteration });
    return fresh;
  }
}
