import { assertEquals } from "@std/assert";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";

const PLAN: Plan = {
  scenarios: {
    user: {
      executor: "per-vu-iterations",
      vus: 1,
      iterations: 1,
      flow: [
        { request: { method: "POST", url: "/rooms" } },
        {
          websocket: {
            url: "ws://app.test/rooms",
            steps: [{ send: { json: { room: "k3x9qq7z" } } }],
          },
        },
      ],
    },
  },
};

Deno.test("PlanDraft.restore also restores the strings that the plan sends to WebSockets", () => {
  const draft = new PlanDraft(PLAN);
  const saved = draft.save();
  draft.extract(
    0,
    { type: "jsonpath", name: "room", expression: "$.room" },
    { value: "k3x9qq7z", agrees: undefined },
    { expression: { kind: "variable", name: "room" }, encoded: undefined, numeric: false },
  );
  assertEquals(draft.usesOf(0, "room").messages, 1);

  draft.restore(saved);

  assertEquals(draft.usesOf(0, "room").messages, 0);
  assertEquals(draft.toPlan(), PLAN);
});
