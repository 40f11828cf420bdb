import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { Chart } from "../../../src/report/chart.ts";
import {
  endEvent,
  eventText,
  livePage,
  runningParts,
  stateEvent,
} from "../../../src/report/html/live_page.ts";
import { LiveHistory } from "../../../src/report/html/series.ts";
import { progressAt, scenarioProgress } from "../../builders/progress.ts";
import { BUSY } from "../../builders/summary.ts";

const HOSTILE = `</script></style>--><script>alert(1)</script><img src=x onerror="alert(1)">'\n\n`;

Deno.test("LiveHistory keeps the timeline of a whole day in at most 3,600 points", () => {
  const history = new LiveHistory();
  let shortened = 0;
  for (let at = 1; at <= 86_400; at++) {
    const vus = at === 10_000 ? 500 : 3;
    if (history.add({ ...BUSY.timeline[0], at, vus, requests: 40 })) shortened++;
    assert(history.points.length <= 3_600);
  }
  const { points } = history;
  assert(shortened > 10 && shortened < 50, String(shortened));
  assertEquals(points.at(-1)!.at, 86_400);
  assert(points.every(({ at }, i) => i === 0 || at > points[i - 1].at));
  assertEquals(Math.max(...points.map(({ vus }) => vus)), 500);
  assertEquals(new Set(points.map(({ requests }) => requests)), new Set([40]));
});

Deno.test("stateEvent and endEvent escape hostile text in every part of the page", () => {
  const progress = progressAt(12_000, {
    scenarios: [scenarioProgress(HOSTILE)],
    thresholds: [{ ...BUSY.thresholds[0], metric: HOSTILE, expression: HOSTILE }],
  });
  const endpoints = BUSY.endpoints.map((endpoint) => ({ ...endpoint, name: HOSTILE }));
  const errors = BUSY.errors.map((error) => ({ ...error, message: HOSTILE }));
  const events = [
    stateEvent({ name: HOSTILE, progress, note: HOSTILE }, BUSY.timeline),
    endEvent({ ...BUSY, name: HOSTILE, endpoints, errors }),
  ];
  for (const event of events) {
    const page = parseHtml(Object.values(event.parts).join(""));
    assertEquals([...selectCss("script, img, style", undefined, page)], []);
    assertStringIncludes(event.parts.head, "&lt;/script&gt;");
    const lines = eventText(event).split("\n");
    assertEquals([lines.length, lines[2], lines[3]], [4, "", ""]);
  }
});

Deno.test("stateEvent contains the exact metrics of the run", () => {
  const progress = progressAt(12_000);
  const { parts, drawn } = stateEvent({ name: "demo shop", progress, note: "" }, BUSY.timeline);
  const values = (part: string) =>
    [...selectCss("[data-value]", "data-value", parseHtml(part))].map(Number);
  const { last } = progress;
  assertEquals(values(parts.metrics), [
    last.started,
    last.requests,
    last.failed / last.requests,
    last.p50,
    last.p95,
    last.p99,
    last.vus,
    last.dropped,
  ]);
  assertStringIncludes(parts.metrics, "1,000 so far");
  assertEquals(values(parts.scenarios), [12, 500, 3]);
  assertEquals(drawn.lines[0][1], BUSY.timeline.map(({ started }) => started));
});

Deno.test("livePage runs only its own script and connects only to its own server", async () => {
  const text = await livePage({
    name: HOSTILE,
    scenarios: { s: { executor: "constant-vus", vus: 1, duration: "1s", flow: [] } },
  });
  const page = parseHtml(text);
  const [policy] = selectCss("meta[http-equiv]", "content", page);
  assertStringIncludes(policy, "default-src 'none'; script-src 'sha256-");
  assertStringIncludes(policy, "connect-src 'self'");
  const [script] = text.match(/(?<=<script>)[\s\S]*(?=<\/script>)/)!;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  assertStringIncludes(policy, `'sha256-${new Uint8Array(digest).toBase64()}'`);
  assertEquals([...selectCss("img, [src], [href]", undefined, page)], []);
});

Deno.test("the charts of livePage show the limits of thresholds that apply to all requests", async () => {
  const text = await livePage({
    scenarios: { s: { executor: "constant-vus", vus: 1, duration: "1s", flow: [] } },
    thresholds: {
      http_req_duration: ["p(95)<400", { threshold: "avg<200" }],
      http_req_failed: ["rate<0.01"],
      "http_req_duration{name:GET /}": ["p(95)<300"],
    },
  });
  const [data] = selectCss("#charts", undefined, parseHtml(text));
  const limits = JSON.parse(data).charts.map(({ limits = [] }: Chart) => limits).flat();
  assertEquals(limits, [
    { value: 400, label: "p(95)<400" },
    { value: 200, label: "avg<200" },
    { value: 0.01, label: "rate<0.01" },
  ]);
});

Deno.test("live pages state whether a percentile covers the last second or the whole run", () => {
  const { parts } = stateEvent({ name: "", progress: progressAt(12_000), note: "" }, []);
  assertMatch(parts.metrics, /<h2>Last second<\/h2>[^]*<dt>p95<\/dt>/);
});

Deno.test("after the planned end, runningParts shows that the run is waiting for iterations", () => {
  const head = (elapsedMs: number, done: number) =>
    runningParts({
      name: "shop",
      progress: progressAt(elapsedMs, { plannedMs: 5_000, done }),
      note: "",
    }).head;
  assertStringIncludes(head(5_000, 1), "Running</strong> 5s of 5s</p>");
  assertStringIncludes(head(2_000, 0.5), "Running</strong> 2s of at most 5s</p>");
  assertStringIncludes(
    head(30_000, 1),
    "Running</strong> 30s (planned 5s): waiting for running iterations, up to `graceful_stop`</p>",
  );
});
