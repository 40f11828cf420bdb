import { assertEquals, assertStringIncludes } from "@std/assert";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { renderSummary } from "../../../src/report/text/render_summary.ts";
import { runReport } from "../../../src/report/html/run_report.ts";
import { runWarnings } from "../../../src/report/run_warnings.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const EXTRACT: Request = {
  url: "/first",
  extract: [{ type: "jsonpath", name: "id", expression: "$.id" }],
};

/**
 * Sends a request that extracts `id` from the response `body`, and then one with `headers`. Returns
 * the number of sent requests, some headers of the second request, and the summary.
 */
async function headersAfter(body: string, headers: Request["headers"]) {
  const { sent, summary } = await runFlow(
    [{ request: EXTRACT }, { request: { url: "/second", headers } }],
    { respond: () => ({ body }) },
  );
  const { referer, origin, "x-id": id } = sent[1]?.headers ?? {};
  return { count: sent.length, referer, origin, id, summary };
}

Deno.test("a request is sent without its Referer if a variable in it is not set", async () => {
  const headers = { Referer: "http://t/orders/${id}", "X-Id": "1" };
  const unset = await headersAfter("{}", headers);
  assertEquals([unset.count, unset.referer, unset.id], [2, undefined, "1"]);
  const [, second] = unset.summary.endpoints.toSorted((a, b) => a.name < b.name ? -1 : 1);
  assertEquals([second.name, second.omitted_headers, second.unsent, second.failed], [
    "GET /second",
    1,
    0,
    0,
  ]);
  const set = await headersAfter('{"id":7}', headers);
  assertEquals([set.referer, set.summary.endpoints[1].omitted_headers], [
    "http://t/orders/7",
    undefined,
  ]);
});

Deno.test("an `Origin` header is shortened to the origin if a variable in its path is not set", async () => {
  const { count, origin } = await headersAfter("{}", { origin: "http://t:8/orders/${id}" });
  assertEquals([count, origin], [2, "http://t:8"]);
  const host = await headersAfter("{}", { Origin: "http://${id}" });
  assertEquals([host.count, host.summary.endpoints[1].unsent], [1, 1]);
});

Deno.test("a request is not sent if a variable in another header is not set", async () => {
  const { count, summary } = await headersAfter("{}", {
    Referer: "http://t/${id}",
    "X-Id": "${id}",
  });
  assertEquals([count, summary.endpoints[1].omitted_headers], [1, undefined]);
});

Deno.test("reports and merged summaries count omitted headers", async () => {
  const { summary } = await headersAfter("{}", { Referer: "http://t/${id}" });
  const text = "1 `Referer` or `Origin` header omitted or shortened: a `${…}` in it had no value";
  assertEquals(runWarnings(summary).map((warning) => warning.text), [text]);
  assertStringIncludes(renderSummary(summary, { color: false, width: 120 }), text);
  assertStringIncludes(await runReport(summary), `["headers omitted","1"]`);
  const merged = mergeSummaries([
    { ...summary, shards: [{ ...summary.shards[0], shard: "1/2" }] },
    { ...summary, shards: [{ ...summary.shards[0], shard: "2/2" }] },
  ]);
  assertEquals(merged.endpoints.find(({ name }) => name === "GET /second")!.omitted_headers, 2);
});
