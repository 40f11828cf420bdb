import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../src/base/errors.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { HarFile } from "../support/har_files.ts";
import { chunked, damage, damages } from "../builders/mutate.ts";
import type { Trials } from "../support/trials.ts";

/** Generates positions at which to split a file into chunks, each from 0 (start) to 1 (end). */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
  maxLength: 12,
});

/**
 * Asserts that `readHar` accepts a damaged file if and only if `JSON.parse` reads it as a HAR, and
 * that every error contains a position.
 */
export function assertSurvivesDamage(files: readonly HarFile[], trials: Trials): Promise<void> {
  const named = new Map(files.map(({ name, bytes }) => [name, bytes]));
  return fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...named.keys()),
      damages,
      cuts,
      async (name, damages, cuts) => {
        const bytes = damage(named.get(name)!, damages);
        const outcome = await readHar(chunked(bytes, cuts), "x").catch((error) => error);
        if (outcome instanceof InputError) {
          const { offset = -1, line = 0, column = 0 } = outcome.place;
          assert(offset >= 0 && offset <= bytes.length && line > 0 && column > 0, outcome.message);
        } else if (outcome instanceof Error) throw outcome;
        assertEquals(outcome instanceof InputError, !isHar(bytes));
      },
    ),
    trials,
  );
}

function isHar(bytes: Uint8Array): boolean {
  try {
    return Array.isArray(JSON.parse(new TextDecoder().decode(bytes)).log.entries);
  } catch {
    return false;
  }
}
