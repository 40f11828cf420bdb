import { assertEquals, assertThrows } from "@std/assert";
import { fromJSONSchema } from "zod";
import { longSummary } from "../../builders/long_summary.ts";
import { runInVirtualTime, scenarioOf } from "../../support/run_in_virtual_time.ts";
import { BUSY } from "../../builders/summary.ts";

const documented = fromJSONSchema(
  JSON.parse(
    await Deno.readTextFile(new URL("../../../docs/summary.schema.json", import.meta.url)),
  ),
);
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("summary schema: accepts the summary of a run", async () => {
  const { summary } = await runInVirtualTime({
    name: "two kinds",
    defaults: { http: { base_url: "http://t" } },
    thresholds: { http_req_duration: ["p(95)<400"], "http_reqs{name:none}": ["count>=0"] },
    scenarios: {
      closed: scenarioOf("constant-vus, vus: 2, duration: 3s", [{
        request: { url: "/a", checks: [{ type: "status", equals: 200 }] },
      }]),
      open: scenarioOf("constant-arrival-rate, rate: 20, duration: 3s, pre_allocated_vus: 1", [{
        request: { url: "/b" },
      }]),
    },
  }, { respond: ({ target }) => target === "/b" ? { error: "timeout", ms: 90 } : {} });
  assertEquals(documented.parse(asJson(summary)), asJson(summary));
});

Deno.test("summary schema: accepts the summaries that other tests use", () => {
  for (const summary of [BUSY, longSummary({ seconds: 5, endpoints: 3 })]) {
    assertEquals(documented.parse(asJson(summary)), asJson(summary));
  }
});

Deno.test("summary schema: rejects a missing, invalid or unknown key", () => {
  const { seed: _, ...withoutSeed } = BUSY;
  for (const invalid of [withoutSeed, { ...BUSY, seed: "1" }, { ...BUSY, sed: 1 }]) {
    assertThrows(() => documented.parse(asJson(invalid)));
  }
});
