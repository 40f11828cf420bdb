import { assertEquals } from "@std/assert";
import type { Sample } from "../../../src/engine/metrics/snapshot.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

function marked(recorded: string, url = "/"): Step {
  const checks = [{ type: "status" as const, equals: 200 }];
  return { request: { url, tags: { recorded, team: "a" }, checks } };
}

const FLOW: Step[] = [
  marked("7"),
  { group: { name: "g", steps: [marked("8"), { request: { url: "/unmarked" } }] } },
  { repeat: { times: 2, steps: [marked("3", "/${vu}")] } },
  { parallel: { branches: [[marked("4")], [marked("5")]] } },
];

Deno.test("requests in every kind of step pass the HAR entry number in their `recorded` tag to the HTTP client", async () => {
  const { sent } = await runFlow(FLOW);
  const entries = sent.map(({ request }) => request.recorded);
  assertEquals(entries, [7, 8, undefined, 3, 3, 4, 5]);
});

Deno.test("a redirected request does not keep the HAR entry number of the original request", async () => {
  const { sent } = await runFlow([marked("7")], {
    respond: (_, n) => n === 0 ? { status: 302, headers: [["location", "/next"]] } : {},
  });
  assertEquals(sent.map(({ request }) => request.recorded), [7, undefined]);
});

Deno.test("requests with stored cookies keep the HAR entry number in their `recorded` tag", async () => {
  const { sent } = await runFlow([marked("7"), marked("8")], {
    respond: () => ({ headers: [["set-cookie", "a=1"]] }),
  });
  assertEquals(sent.map(({ request }) => request.recorded), [7, 8]);
});

Deno.test("samples and checks do not have the tag `recorded`", async () => {
  const samples: Sample[] = [];
  const { summary } = await runFlow(FLOW, {
    outputs: [{
      samples: (batch) => void samples.push(...batch.samples),
      close: () => Promise.resolve({ name: "test", written: 0, dropped: 0 }),
    }],
  });
  assertEquals(summary.checks.length, 2);
  for (const sample of samples) {
    if (sample.type !== "request") continue;
    assertEquals(Object.hasOwn(sample.tags, "recorded"), false);
  }
});
