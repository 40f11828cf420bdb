import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { CounterStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { http2Server } from "../../support/http2_server.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

/**
 * Values of `max_duration` in ms. If the process stalls and the events arrive after `max_duration`,
 * the test repeats the run with the next, longer value.
 */
const DURATIONS = [100, 1_000, 10_000];

Deno.test("run ends server-sent events over HTTP/2 at `max_duration` and keeps the connection usable", async () => {
  const closed: Promise<void>[] = [];
  await using server = await http2Server(false, ({ url }, response) => {
    if (url === "/silent") return;
    if (url === "/next") return void response.end("ok");
    closed.push(new Promise((resolve) => response.stream.on("close", resolve)));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\ndata: 2\n\n");
  });
  using folder = new CliFolder();
  const [plan, exported] = [join(folder.path, "plan.yaml"), join(folder.path, "summary.json")];
  const run = async (ms: number): Promise<Summary> => {
    await Deno.writeTextFile(
      plan,
      `
name: events
defaults: {http: {base_url: "http://127.0.0.1:${server.port}", version: http2}}
scenarios:
  s:
    executor: per-vu-iterations
    vus: 2
    iterations: 2
    flow:
      - {request: {name: events, url: /events, sse: {max_duration: ${ms}ms}}}
      - {request: {name: next, url: /next}}
      - {request: {name: silent, url: /silent, sse: {max_duration: 50ms}}}
      - {request: {name: after, url: /next}}
`,
    );
    const { code, stderr } = await runCli(["run", plan, "--summary-export", exported]);
    assertEquals(code, 0, stderr);
    return JSON.parse(await Deno.readTextFile(exported));
  };
  const failures = (summary: Summary) =>
    summary.endpoints.reduce((sum, { failed }) => sum + failed, 0);
  let summary = await run(DURATIONS[0]);
  for (const ms of DURATIONS.slice(1)) if (failures(summary) > 4) summary = await run(ms);
  assertEquals(
    summary.endpoints.map(({ name, count, failed }) => [name, count, failed]).sort(),
    [["after", 4, 0], ["events", 4, 0], ["next", 4, 0], ["silent", 4, 4]],
  );
  assertEquals(summary.errors.map(({ kind, count }) => [kind, count]), [["timeout", 4]]);
  assertEquals((summary.metrics.sse_events as CounterStats).count, 8);
  await Promise.all(closed);
});
