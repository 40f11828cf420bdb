import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { ValueGenerator } from "./value_generator.ts";

/** A user of the mock server: the calls made so far, and the values generated for this user. */
export class MockUser {
  readonly name: string;
  /** Calls made since the start of the session. */
  readonly taken: Set<RecordedCall> = new Set();
  /** Target of the last redirect, if it leaves the recording. */
  externalRedirect: string | undefined;
  readonly #generator: ValueGenerator;
  readonly #values = new Map<string, string>();

  constructor(name: string, generator: ValueGenerator) {
    this.name = name;
    this.#generator = generator;
  }

  /** Reports whether the recorded value `recorded` was regenerated for this user. */
  has(recorded: string): boolean {
    return this.#values.has(recorded);
  }

  /** Returns the fresh value for the recorded one; generates it on first use. */
  valueOf(recorded: string): string {
    return this.#values.get(recorded) ?? this.renew(recorded);
  }

  /** Generates a new fresh value for the recorded one. */
  renew(recorded: string): string {
    const fresh = this.#generator.generate(recorded, this.name);
    this.#values.set(recorded, fresh);
    return fresh;
  }
}
