import { assertEquals } from "@std/assert";
import { describeFailed } from "../../../src/cli/run/traced_sender.ts";
import { newResponse } from "../../../src/http/sender.ts";
import type { Condition } from "../../../src/plan/kinds/conditions.ts";
import { RecordedView } from "../../../src/traffic/session/recorded_view.ts";

function describe(condition: Condition, text: string): string {
  const response = Object.assign(newResponse(), { status: 200, bodySize: text.length });
  const view = new RecordedView({ headers: [], text });
  return describeFailed(condition, Object.assign(view, { response, durationMs: 7 }));
}

Deno.test("describeFailed reports the number of values found if the condition expects a `count`", () => {
  const count = { type: "jsonpath", expression: "$.items[*]", count: 3 } as const;
  assertEquals(
    describe(count, '{"items":[{"id":1},{"id":2}]}'),
    "jsonpath expression $.items[*] count 3: got 2 values",
  );
  assertEquals(describe(count, '{"items":[]}').split(": ")[1], "got 0 values");
  assertEquals(describe(count, "<p>"), "jsonpath expression $.items[*] count 3");
  const one = { type: "jsonpath", expression: "$.items[0]", equals: 3 } as const;
  assertEquals(describe(one, '{"items":[4,5]}').split(": ")[1], "got 4");
});
