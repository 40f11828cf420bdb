import { assertEquals } from "@std/assert";
import type { Step } from "../../../../src/plan/kinds/steps.ts";
import { runFlow } from "../../../support/run_in_virtual_time.ts";

const damaged = () => ({ body: "not gzip", headers: [["content-encoding", "gzip"]] as const });
const condition = { type: "body_contains", value: "gzip" } as const;

/** Runs a flow whose response cannot be decoded, and returns its errors and the failed requests. */
async function failures(flow: Step[]) {
  const { summary, sent } = await runFlow(flow, { respond: damaged });
  return {
    errors: summary.errors.map(({ kind, message }) => `${kind}: ${message.slice(0, 28)}`),
    failed: summary.endpoints.reduce((sum, { failed }) => sum + failed, 0),
    sent: sent.length,
  };
}

const ERROR = "body: cannot decode the gzip body:";

Deno.test("a check that cannot read the body fails, and the request fails with the error kind `body`", async () => {
  const { errors, failed } = await failures([{ request: { url: "/", checks: [condition] } }]);
  assertEquals([errors, failed], [[ERROR], 1]);
});

Deno.test("a condition that cannot read the body is false, and is reported as an error", async () => {
  const request = { request: { url: "/" } };
  const { errors, sent } = await failures([request, { if: { condition, then: [request] } }]);
  assertEquals([errors, sent], [[ERROR], 1]);
});
