import { assertEquals } from "@std/assert";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { ResponseSnapshot } from "../../src/calibrate/response_snapshot.ts";
import { UniqueTrials } from "../../src/calibrate/unique_trial.ts";
import { VariableWatch } from "../../src/calibrate/variable_watch.ts";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";

const RECORDED = { token: "k7f3a9c1", kind: "plain" };

/** A plan that extracts both members of the first response and sends them in the second request. */
function watched() {
  const recording = recordingOf([
    { request: "GET /form", response: RECORDED },
    { request: "POST /save", json: RECORDED, response: { ok: true } },
  ]);
  const [origin] = recording.exchanges.map(({ request }) => new URL(request.url).origin);
  const extract = ["token", "kind"].map((name) => (
    { type: "jsonpath", name, expression: `$.${name}` }
  ));
  const plan = {
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [
          { request: { url: "/form", extract, tags: { recorded: "1" } } },
          {
            request: {
              method: "POST",
              url: "/save",
              body: { json: { token: "${token}", kind: "${kind}" } },
              tags: { recorded: "2" },
            },
          },
        ],
      },
    },
  } as unknown as Plan;
  const origins = { recorded: origin, target: origin };
  const draft = new PlanDraft(plan, readRecordedSide(recording, plan, origins));
  const variables = new VariableWatch(draft, new UniqueTrials(draft));
  const known = new KnownPairs();
  /** Checks a live response to the first request. Returns the values that differ. */
  const check = (json: Readonly<Record<string, unknown>>, diverged = false) => {
    const response = new ResponseSnapshot({
      status: 200,
      headers: [],
      mimeType: "application/json",
      text: JSON.stringify(json),
    });
    const live = { response, known, unique: "u1", set: () => {} };
    const { response: recorded } = draft.recorded.at(0)!;
    return variables.check(0, recorded, live, (name) => json[name], diverged)
      .map(({ recorded, live }) => `${recorded} → ${live}`);
  };
  const removed = () => variables.removed.map(({ variable, reason }) => `${variable}: ${reason}`);
  return { draft, variables, known, check, removed };
}

Deno.test("VariableWatch returns the values that differ, and keeps both variables", () => {
  const { variables, known, check, removed } = watched();
  assertEquals(check({ ...RECORDED, token: "m2p8x4q6" }), ["k7f3a9c1 → m2p8x4q6"]);
  assertEquals(known.liveOf("k7f3a9c1"), "m2p8x4q6");
  assertEquals(removed(), []);
  assertEquals(variables.constants.map(({ variable }) => variable), ["kind"]);
});

Deno.test("VariableWatch writes the recorded value in place of a variable that was not found", () => {
  const { draft, check, removed } = watched();
  check({ kind: "plain" });
  assertEquals(removed(), ["token: its extractor found nothing"]);
  assertEquals(draft.at(0).extract?.map(({ name }) => name), ["kind"]);
  assertEquals(draft.at(1).body, { json: { token: "k7f3a9c1", kind: "${kind}" } });
});

Deno.test("VariableWatch keeps a variable that once had another value in a call that worked", () => {
  const { variables, check, removed } = watched();
  check({ ...RECORDED, token: "m2p8x4q6" });
  variables.confirm(1);
  check({ kind: "plain" });
  assertEquals(removed(), []);
});

Deno.test("VariableWatch removes nothing because of a response after the session was lost", () => {
  const { check, removed } = watched();
  check({}, true);
  assertEquals(removed(), []);
});

Deno.test("VariableWatch removes constants that two users had, but not values that look generated", () => {
  const { draft, variables, check } = watched();
  check(RECORDED);
  const outcomes = [1, 2].map((user) => ({ user, iteration: 1, index: 0, differences: [] }));
  variables.removeConstants(outcomes.slice(1));
  assertEquals(draft.at(0).extract?.length, 2);
  variables.removeConstants(outcomes);
  assertEquals(draft.at(0).extract?.map(({ name }) => name), ["token"]);
  assertEquals(draft.at(1).body, { json: { token: "${token}", kind: "plain" } });
});
