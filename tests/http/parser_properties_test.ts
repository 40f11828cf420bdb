import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { KnownHeads } from "../../src/http/connection.ts";
import type { ErrorKind } from "../../src/http/sender.ts";
import {
  cutOffsets,
  damagedResponses,
  fractions,
  responses,
} from "../builders/generated_responses.ts";
import { bytesOf, parsed } from "../support/parsed.ts";

const EXPECTED: readonly (ErrorKind | undefined)[] = [undefined, "protocol", "closed", "too_large"];

Deno.test("parser: parses generated responses correctly, regardless of how the input is chunked", () => {
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
  );
});

Deno.test("parser: gives the same result for a damaged response, regardless of how the input is chunked", () => {
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
  );
});

Deno.test("parser: earlier responses do not affect the result", () => {
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
  );
});
