import { assertEquals } from "@std/assert";
import {
  isOfState,
  isProven,
  mayBeConflict,
  type ProofFindings,
  summarizeContent,
} from "../../src/calibrate/report.ts";
import type { LiveVerdict } from "../../src/calibrate/verdicts.ts";
import type { CallOutcome } from "../../src/calibrate/attempts.ts";

Deno.test("summarizeContent counts the responses with a difference, and lists of items once", () => {
  const outcome = (...lists: string[]): CallOutcome => ({
    user: 1,
    iteration: 1,
    index: 0,
    differences: [],
    content: lists.map((place) => (
      { kind: "empty list", place, recorded: "1 item", live: "0 items", path: ["orders", 0] }
    )),
  });
  const found = summarizeContent([
    outcome("$.orders[0].lines", "$.orders[1].lines"),
    outcome("$.orders[7].lines", "$.tags"),
    outcome(),
  ]);
  assertEquals(found?.map(({ place, responses }) => [place, responses]), [
    ["$.orders[0].lines", 2],
    ["$.tags", 1],
  ]);
  assertEquals(summarizeContent([outcome()]), undefined);
});

Deno.test("mayBeConflict does not take a text that exists already for a conflict of two users", () => {
  const call = {
    index: 0,
    name: "POST /users",
    scenario: "recorded",
    kind: "state",
    differences: [],
  } as const;
  const isConflict = (isTaken: boolean) =>
    mayBeConflict({ calls: [{ ...call, ...(isTaken && { isTaken }) }], messages: [] });
  assertEquals([isConflict(false), isConflict(true)], [true, false]);
});

const verdict = (index: number, kind: LiveVerdict["kind"], more: Partial<LiveVerdict> = {}) => (
  { index, kind, differences: [], ...more }
);
const GOOD = [verdict(0, "as recorded"), verdict(1, "repaired")];
const MESSAGES = {
  name: "WS /live",
  entry: 1,
  received: 2,
  asRecorded: 1,
  refused: 0,
  differences: [],
  skipped: 0,
};
const STATE = [...GOOD, verdict(2, "state"), verdict(3, "consequence", { causedBy: 2 })];

/** What a calibration found, and whether it is proven, also if a changed state is accepted. */
const PROVEN: Record<
  string,
  [found: Partial<ProofFindings>, isProven: boolean, isProvenExceptState: boolean]
> = {
  "a conclusive round in which each call is good": [{}, true, true],
  "a round that is not conclusive": [{ isConclusive: false }, false, false],
  "a recorded write that is not sent": [
    { missing: [{ entry: 3, name: "POST /teas" }] },
    false,
    false,
  ],
  "a failed WebSocket": [
    { socketFailure: { sessions: 2, failed: 1, errors: [], round: "round 1" } },
    false,
    false,
  ],
  "a message that reports an error": [{ messages: [{ ...MESSAGES, refused: 1 }] }, false, false],
  "a message with another shape": [{ messages: [MESSAGES] }, true, true],
  "a changed state and a call that fails because of it": [{ verdicts: STATE }, false, true],
  "a fault of the server": [
    { verdicts: [...GOOD, verdict(2, "state", { isFault: true })] },
    false,
    false,
  ],
  "a write whose work no response shows": [
    { verdicts: [...GOOD, verdict(2, "not shown")] },
    false,
    false,
  ],
  "a call that fails at random": [{ verdicts: [...GOOD, verdict(2, "random")] }, false, false],
  "a call that was not sent": [
    { verdicts: [...STATE, verdict(4, "not sent", { causedBy: 2 })] },
    false,
    false,
  ],
};

for (const [name, [found, isShown, isShownExceptState]] of Object.entries(PROVEN)) {
  Deno.test(`isProven is ${isShown} for ${name}`, () => {
    const findings = { isConclusive: true, verdicts: GOOD, messages: [], missing: [], ...found };
    assertEquals(isProven(findings), isShown);
    assertEquals(isProven(findings, isOfState), isShownExceptState);
  });
}
