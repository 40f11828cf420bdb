import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { KnownHeads } from "../../src/engine/http/known_head.ts";
import type { ErrorKind } from "../../src/engine/sender.ts";
import { answers, cutsOf, damages, fractions } from "./answers.ts";
import { bytesOf, parsed } from "./parsed.ts";
import type { Trials } from "./trials.ts";

const EXPECTED: readonly (ErrorKind | undefined)[] = [undefined, "protocol", "closed", "too_large"];

/** Well-formed answers are read as they were meant, however they are cut. */
export function checkAnswers(trials: Trials): void {
  fc.assert(
    fc.property(answers, fractions, (answer, fractions) => {
      const bytes = bytesOf(answer.text);
      const feeding = { cuts: cutsOf(fractions, bytes.length), closes: answer.closes };
      assertEquals(parsed(bytes, feeding), {
        error: undefined,
        done: true,
        reusable: !answer.closes,
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        bodySize: answer.body.length,
      });
    }),
    trials,
  );
}

/**
 * Whatever comes, it ends in an answer or in a fault of its kind, in the same one however the bytes
 * are cut and whatever is kept of them.
 */
export function checkDamagedAnswers(trials: Trials): void {
  const limits = { headers: 2_000, body: 1_000 };
  fc.assert(
    fc.property(damages, fractions, ({ damaged }, fractions) => {
      const bytes = bytesOf(damaged);
      const whole = parsed(bytes, { limits, closes: true });
      assert(EXPECTED.includes(whole.error), whole.error);
      assert(whole.done || whole.error !== undefined);
      const cuts = cutsOf(fractions, bytes.length);
      assertEquals(parsed(bytes, { limits, closes: true, cuts }), whole);
      if (whole.error === "too_large") return;
      const wants = { headers: false, body: false };
      const { error, status, bodySize } = parsed(bytes, { limits, closes: true, cuts, wants });
      assertEquals([error, status, bodySize], [whole.error, whole.status, whole.bodySize]);
    }),
    trials,
  );
}

/**
 * What was read of an answer before changes nothing: neither when the same comes again, in other
 * pieces and to a request of another method, nor when something has happened to it since.
 */
export function checkAnswersAfterOthers(trials: Trials): void {
  const closes = true;
  fc.assert(
    fc.property(damages, fractions, fc.constantFrom("GET", "HEAD"), (pair, fractions, method) => {
      const heads = new KnownHeads();
      const known = bytesOf(pair.answer.text);
      parsed(known, { closes, heads });
      for (const bytes of [known, bytesOf(pair.damaged)]) {
        for (const cuts of [[], cutsOf(fractions, bytes.length)]) {
          const afresh = parsed(bytes, { closes, cuts, method });
          assertEquals(parsed(bytes, { closes, cuts, method, heads }), afresh);
        }
      }
    }),
    trials,
  );
}
