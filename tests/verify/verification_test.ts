import { assertEquals } from "@std/assert";
import {
  verdictOf,
  type Verification,
  type VerificationVerdict,
} from "../../src/verify/verify_plan.ts";

type Found = Omit<Verification, "verdict">;

/** A run of one user whose two requests are as recorded. */
const CONSISTENT: Found = {
  isForeign: false,
  users: 1,
  iterations: 1,
  recorded: 2,
  sent: 2,
  matched: 2,
  share: 1,
  stale: [],
  unproven: [],
  differing: [],
  neverMade: [],
  added: [],
  missingBodies: [],
  calls: [],
  nothingFound: [],
  unsent: [],
};

const call = "request 1 (POST /orders)";
const value = { value: "48213", call, place: "path segment 2", producer: call, count: 1 };
const advice = { extractor: undefined, write: "" };
const fault = { request: "POST /orders", message: "", count: 1 };
const extra = { method: "POST", url: "/orders", like: call, count: 1 };

const stale: Partial<Found> = { stale: [{ ...value, ...advice, why: "as recorded" }] };
const foreign: Partial<Found> = { isForeign: true };
const unmatched: Partial<Found> = { matched: 0 };
const nothingFound: Partial<Found> = { nothingFound: [fault] };
const unsent: Partial<Found> = { unsent: [fault] };
const differing: Partial<Found> = {
  differing: [{ call, place: "query page", recorded: "1", sent: "2", count: 1 }],
};
const neverMade: Partial<Found> = { neverMade: [{ call, count: 1 }] };
const unproven: Partial<Found> = { unproven: [{ ...value, ...advice, reason: "response" }] };
const missingBodies: Partial<Found> = { missingBodies: [{ call }] };
const repeatedWrite: Partial<Found> = { added: [{ ...extra, isWrite: true }] };
const repeatedRead: Partial<Found> = { added: [extra] };

/** Facts, the least important first, and the verdict from each one and those before it. */
const VERDICTS: readonly [string, Partial<Found>, VerificationVerdict][] = [
  ["no finding", {}, "consistent"],
  ["a repeated read", repeatedRead, "consistent"],
  ["a repeated write", repeatedWrite, "unproven"],
  ["a missing body", missingBodies, "unproven"],
  ["an unproven value", unproven, "unproven"],
  ["a call that was not sent", neverMade, "incomplete"],
  ["a difference", differing, "differs"],
  ["a request that could not be sent", unsent, "failed"],
  ["an extractor without a value", nothingFound, "failed"],
  ["no request as recorded", unmatched, "failed"],
  ["another recording", foreign, "failed"],
  ["a stale value", stale, "stale"],
];

for (const [i, [name, facts, verdict]] of VERDICTS.entries()) {
  Deno.test(`verdictOf: ${name} is ${verdict}, also with all less important facts`, () => {
    assertEquals(verdictOf({ ...CONSISTENT, ...facts }), verdict);
    const before = VERDICTS.slice(0, i).map(([, facts]) => facts);
    assertEquals(verdictOf(Object.assign({ ...CONSISTENT }, ...before, facts)), verdict);
  });
}
