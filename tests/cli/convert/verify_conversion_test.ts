import { assertEquals } from "@std/assert";
import { verificationNotes } from "../../../src/cli/convert/convert_har.ts";
import type { Verification } from "../../../src/verify/verify_plan.ts";

const CLEAN: Verification = {
  verdict: "consistent",
  isForeign: false,
  users: 2,
  iterations: 3,
  recorded: 4,
  sent: 24,
  matched: 24,
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

Deno.test("verificationNotes returns no note for a verification without findings", () => {
  assertEquals(verificationNotes(CLEAN), []);
});

Deno.test("verificationNotes returns a note for each kind of problem", () => {
  const place = { call: "GET /b", place: "query t", producer: "GET /a", value: "v1" };
  const notes = verificationNotes({
    ...CLEAN,
    stale: [{
      ...place,
      extractor: { type: "jsonpath", name: "token", expression: "$.token" },
      write: "${token}",
      why: "as recorded",
      count: 1,
    }],
    nothingFound: [{ request: "GET /c", message: "`id` finds nothing", count: 1 }],
    unsent: [{ request: "GET /d", message: "`${id}` was never set", count: 1 }],
    neverMade: [{ call: "GET /e", count: 3 }, { call: "GET /f", count: 3 }],
  });
  assertEquals(notes.map(({ code }) => code), [
    "stale-value",
    "nothing-found",
    "unsent-request",
    "call-not-made",
  ]);
  assertEquals(notes.map(({ subject }) => subject), ["token", "GET /c", "GET /d", "GET /e"]);
  assertEquals(notes[3].message, "verification: the plan omits 2 recorded calls");
});
