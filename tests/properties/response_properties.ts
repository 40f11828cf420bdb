import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { KnownHeads } from "../../src/http/known_head.ts";
import type { ErrorKind } from "../../src/http/sender.ts";
import {
  cutOffsets,
  damagedResponses,
  fractions,
  responses,
} from "../builders/generated_responses.ts";
import { bytesOf, parsed } from "../support/parsed.ts";
import type { Trials } from "../support/trials.ts";

const EXPECTED: readonly (ErrorKind | undefined)[] = [undefined, "protocol", "closed", "too_large"];

/** Checks that well-formed responses are parsed correctly wherever their bytes are split. */
export function checkResponses(trials: Trials): void {
  fc.assert(
    fc.property(responses, fractions, (response, fractions) => {
      const bytes = bytesOf(response.text);
      const feeding = { cuts: cutOffsets(fractions, bytes.length), closes: response.closes };
      assertEquals(parsed(bytes, feeding), {
        error: undefined,
        done: true,
        reusable: !response.closes,
        status: response.status,
        headers: response.headers,
        body: response.body,
        excerpt: "",
        bodySize: response.body.length,
      });
    }),
    trials,
  );
}

/**
 * Checks that parsing a damaged response results in a response or an expected fault. The result
 * must not depend on where the bytes are split or on which parts of the response are needed.
 */
export function checkDamagedResponses(trials: Trials): void {
  const limits = { headers: 2_000, body: 1_000 };
  fc.assert(
    fc.property(damagedResponses, fractions, ({ damaged }, fractions) => {
      const bytes = bytesOf(damaged);
      const whole = parsed(bytes, { limits, closes: true });
      assert(EXPECTED.includes(whole.error), whole.error);
      assert(whole.done || whole.error !== undefined);
      const cuts = cutOffsets(fractions, bytes.length);
      assertEquals(parsed(bytes, { limits, closes: true, cuts }), whole);
      if (whole.error === "too_large") return;
      const needs = { headers: false, body: false };
      const { error, status, bodySize } = parsed(bytes, { limits, closes: true, cuts, needs });
      assertEquals([error, status, bodySize], [whole.error, whole.status, whole.bodySize]);
    }),
    trials,
  );
}

/**
 * Checks that cached heads do not change the result of parsing. Parses each response again: split
 * differently, as the response to a different method, and damaged.
 */
export function checkResponsesAfterOthers(trials: Trials): void {
  const closes = true;
  fc.assert(
    fc.property(
      damagedResponses,
      fractions,
      fc.constantFrom("GET", "HEAD"),
      (pair, fractions, method) => {
        const heads = new KnownHeads();
        const known = bytesOf(pair.response.text);
        parsed(known, { closes, heads });
        for (const bytes of [known, bytesOf(pair.damaged)]) {
          for (const cuts of [[], cutOffsets(fractions, bytes.length)]) {
            const uncached = parsed(bytes, { closes, cuts, method });
            assertEquals(parsed(bytes, { closes, cuts, method, heads }), uncached);
          }
        }
      },
    ),
    trials,
  );
}
