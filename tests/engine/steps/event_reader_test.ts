import { assertEquals } from "@std/assert";
import type { CounterStats, TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { FakeResponse } from "../../support/fake_sender.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const stream = (body: string, type = "text/event-stream; charset=utf-8"): FakeResponse => ({
  body,
  headers: [["Content-Type", type]],
  ms: 40,
});

/**
 * Sends a request for server-sent events, and then a request that uses the extracted value `x`.
 * Returns the sent requests, the errors, the number of events, and the time to the first event.
 */
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

Deno.test("`sse` ends after `max_events`, or when the server ends the stream earlier", async () => {
  const two = await read({ max_events: 2 }, { ...stream(BODY), open: true }, take);
  assertEquals([two.errors, two.events, two.sent[1].target], [[], 2, "/next?x=2"]);
  assertEquals(two.sent[1].at, 40);
  const nine = await read({ max_events: 9 }, stream(BODY), take);
  assertEquals([nine.errors, nine.events, nine.sent[1].target], [[], 3, "/next?x=3"]);
});

Deno.test("`sse` ends after `max_duration` without an error if the response has started", async () => {
  const limits = { max_events: 9, max_duration: "3s" };
  const { errors, events, sent } = await read(limits, { ...stream(BODY), open: true }, take);
  assertEquals([errors, events, sent[1].target, sent[1].at], [[], 3, "/next?x=3", 3_000]);
  const { summary } = await runFlow([
    { request: { url: "/events", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(""), open: true }) });
  assertEquals(summary.errors, []);
});

Deno.test("`sse` fails if the response does not start by `max_duration`, or if a shorter `timeout` expires", async () => {
  const late = await read({ max_duration: "3s" }, { error: "timeout", ms: 3_000 });
  assertEquals(late.errors[0], "timeout: it ended in timeout");
  const { summary } = await runFlow([
    { request: { url: "/events", timeout: "1s", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(BODY), open: true }) });
  assertEquals(summary.errors.map(({ kind }) => kind), ["timeout"]);
});

Deno.test("`sse` with a limit still fails if no event meets `until`", async () => {
  const until = { type: "body_contains", value: "never" } as const;
  const limits = [{ until, max_events: 2 }, { until, max_duration: "1s" }];
  for (const limit of limits) {
    const { errors: [error] } = await read(limit, { ...stream(BODY), open: true });
    const count = "max_events" in limit ? 2 : 3;
    assertEquals(
      error,
      `closed: the stream ended after ${count} events, none of which meets the condition ` +
        "body_contains value never",
    );
  }
});

Deno.test("`sse` counts the time during which events arrive as receiving time, not as waiting time", async () => {
  const { summary } = await runFlow([
    { request: { url: "/events", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(BODY), open: true }) });
  const average = (name: string) => Math.round((summary.metrics[name] as TrendStats).avg);
  assertEquals(average("http_req_waiting"), 40);
  assertEquals(average("http_req_receiving"), 2_960);
});
