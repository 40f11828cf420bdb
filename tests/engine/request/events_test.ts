import { assertEquals } from "@std/assert";
import type { CounterStats, TrendStats } from "../../../src/engine/summary/metric_stats.ts";
import type { Request } from "../../../src/plan/kinds/steps/request.ts";
import type { FakeResponse } from "../../support/fake_sender.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const stream = (body: string, type = "text/event-stream; charset=utf-8"): FakeResponse => ({
  body,
  headers: [["Content-Type", type]],
  ms: 40,
});

/** Sends a request for events, and another one. */
async function read(sse: Request["sse"], response: FakeResponse, extract: Request["extract"] = []) {
  const { sent, summary } = await runFlow([
    { request: { url: "/events", sse, extract } },
    { request: { url: "/next?x=${x}", extract: [] } },
  ], { respond: ({ target }) => target === "/events" ? response : {} });
  return {
    sent,
    errors: summary.errors.map(({ kind, message }) => `${kind}: ${message}`),
    events: (summary.metrics.sse_events as CounterStats).count,
    first: summary.metrics.sse_first_event as TrendStats,
  };
}

const take: Request["extract"] = [{ type: "jsonpath", name: "x", expression: "$.n" }];
const BODY = 'data: {"n":1}\n\ndata: {"n":2,"done":true}\n\ndata: {"n":3}\n\n';

Deno.test("`sse` reads events until one meets the condition, and extracts values from that event", async () => {
  const until = { type: "jsonpath", expression: "$.done", equals: true } as const;
  const { sent, errors, events, first } = await read({ until }, stream(BODY), take);
  assertEquals([errors, events, sent[1].target], [[], 2, "/next?x=2"]);
  assertEquals([first.count, Math.round(first.avg)], [1, 40]);
  assertEquals(sent[0].headers.accept, "text/event-stream");
  assertEquals(sent[0].headers["accept-encoding"], undefined);
});

Deno.test("`sse: true` reads all events, and extracts values from the last one", async () => {
  const { sent, errors, events } = await read(true, stream(BODY), take);
  assertEquals([errors, events, sent[1].target], [[], 3, "/next?x=3"]);
});

Deno.test("`sse` fails if no event meets the condition, or if the response has no events", async () => {
  const until = { type: "body_contains", value: "never" } as const;
  assertEquals(
    (await read({ until }, stream(BODY))).errors[0],
    "closed: the stream ended after 3 events, none of which meets the condition " +
      "body_contains value never",
  );
  assertEquals(
    (await read(true, stream("{}", "application/json"))).errors[0],
    "protocol: the response is not an event stream: its content type is application/json",
  );
  assertEquals((await read(true, { status: 503 })).errors.length, 1);
  const unset = { type: "body_contains", value: "${x}" } as const;
  assertEquals(
    (await read({ until: unset }, stream(BODY))).errors[0],
    'template: the variable "x" is not set',
  );
});
