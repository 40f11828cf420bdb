import type { Draft } from "../convert/correlate/draft.ts";
import type { ValueGenerator } from "./value_generator.ts";

/** One user of the stand-in: the calls made so far, and the values that the server made for this user. */
export class MockUser {
  readonly name: string;
  /** Calls made since the journey began. */
  readonly taken: Set<Draft> = new Set();
  /** Where the last answer led, if the recording does not go there. */
  ledOut: string | undefined;
  readonly #mint: ValueGenerator;
  readonly #values = new Map<string, string>();

  constructor(name: string, mint: ValueGenerator) {
    this.name = name;
    this.#mint = mint;
  }

  /** Whether the server has made anew what it recorded as `plain`. */
  has(plain: string): boolean {
    return this.#values.has(plain);
  }

  /** The value in place of the recorded one, made now if there is none. */
  valueOf(plain: string): string {
    return this.#values.get(plain) ?? this.renew(plain);
  }

  /** Makes the value anew. */
  renew(plain: string): string {
    const fresh = this.#mint.make(plain, this.name);
    this.#values.set(plain, fresh);
    return fresh;
  }
}
