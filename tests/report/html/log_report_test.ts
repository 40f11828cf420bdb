import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { localTime, rateChart } from "../../../src/report/html/log_report.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

/**
 * Returns a two-minute log with one request per second, a burst in the middle, and an invalid line.
 */
function log(): string {
  const lines = Array.from({ length: 120 }, (_, second) => {
    const time = `21/Nov/2026:10:0${Math.floor(second / 60)}:${
      String(second % 60).padStart(2, "0")
    }`;
    const line = (path: string, status: number) =>
      `10.0.0.1 - - [${time} +0000] "GET ${path} HTTP/1.1" ${status} 1\n`;
    const busy = second >= 50 && second < 70 ? line("/busy", 200).repeat(8) : "";
    return line(`/page-${"abc"[second % 3]}`, second % 10 === 0 ? 404 : 200) + busy;
  });
  return lines.join("") + "no line of a log\n" +
    '10.0.0.1 - - [21/Nov/2026:10:01:59 +0000] "GET /<b>x</b> HTTP/1.1" 200 1\n';
}

async function logPage(...options: string[]): Promise<string> {
  using folder = new CliFolder();
  const html = `${folder.path}/log.html`;
  const world = { stdin: log() };
  const { code, stderr } = await runCli(["convert", "-", "--html", html, ...options], world);
  assertEquals(code, 0, stderr);
  return await Deno.readTextFile(html);
}

Deno.test("logReport shows the number of requests in the log by endpoint, method and status", async () => {
  const page = parseHtml(await logPage("--top", "2"));
  const metrics = [...selectCss(".metrics [data-value]", "data-value", page)].map(Number);
  assertEquals(metrics, [281, 281 / 120, 9, 5, 200 / 281, 1]);
  const rows = (caption: string) => [
    [...selectCss(`[aria-label="${caption}"] tbody th`, undefined, page)],
    [...selectCss(`[aria-label="${caption}"] td:nth-child(2)`, "data-value", page)].map(Number),
  ];
  assertEquals(rows("Endpoints"), [
    ["GET /busy", "GET /page-a", "GET /page-b", "GET /page-c", "GET /<b>x</b>"],
    [160, 40, 40, 40, 1],
  ]);
  assertEquals([...selectCss('[aria-label="Endpoints"] td:last-child', undefined, page)], [
    "included",
    "included",
    "not included",
    "not included",
    "not included",
  ]);
  assertEquals(rows("Method mix"), [["GET"], [281]]);
  assertEquals(rows("Status mix"), [["200", "404"], [269, 12]]);
  const text = [...selectCss("section", undefined, page)].join("");
  assertStringIncludes(text, "standard input:281: no line of a log");
});

Deno.test("logReport draws the request rates of the log and of the plan", async () => {
  const page = parseHtml(await logPage("--shape", "curve", "--speed", "2", "--duration", "1m"));
  const [text] = selectCss("#charts", undefined, page);
  const { axes, charts: [{ series: [recorded, planned] }] } = JSON.parse(text);
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  assertEquals(axes.utc.length, 120);
  assertEquals(axes.utc[0], Date.UTC(2026, 10, 21, 10) / 1_000 + 0.5);
  assertEquals(sum(recorded.values), 281);
  assertAlmostEquals(sum(planned.values), 2 * 281, 6);
  assert(
    [...selectCss("section", undefined, page)].join("").includes(
      "The plan's duration of 1m is stretched",
    ),
  );
});

Deno.test("logReport shows times in the log's time zone, or in the one given by --time-zone", async () => {
  const page = parseHtml(await logPage());
  const [text] = selectCss("#charts", undefined, page);
  const { axes, zone, charts: [{ axis }] } = JSON.parse(text);
  assertEquals([axis, zone], ["utc", "UTC"]);
  assertEquals(axes.utc.at(-1), Date.UTC(2026, 10, 21, 10, 1, 59) / 1_000 + 0.5);
  const sections = [...selectCss("section", undefined, page)].join("");
  assertStringIncludes(sections, "Times are in the time zone UTC.");
  assertEquals([...selectCss("h1", undefined, page)], [
    "2026-11-21 10:00:00 UTC to 2026-11-21 10:01:59 UTC",
  ]);
  const zoned = parseHtml(await logPage("--time-zone", "Europe/Berlin"));
  assertEquals([...selectCss("h1", undefined, zoned)], [
    "2026-11-21 11:00:00 Europe/Berlin to 2026-11-21 11:01:59 Europe/Berlin",
  ]);
});

Deno.test("logReport shows warnings and statuses first", async () => {
  const page = parseHtml(await logPage());
  assertEquals([...selectCss("h2", undefined, page)].slice(0, 3), [
    "Warnings and notes",
    "Statuses",
    "Rate over time",
  ]);
});

Deno.test("rateChart multiplies the iteration rate by the mean number of requests per iteration", () => {
  const request = { request: { url: "/" } };
  const plan: Plan = {
    scenarios: {
      s: {
        executor: "ramping-arrival-rate",
        start_rate: 60,
        time_unit: "1m",
        stages: [{ duration: "10s", target: 180 }, { duration: "30s", target: 180 }],
        pre_allocated_vus: 1,
        flow: [{
          random: {
            strategy: "weighted",
            choices: [{ weight: 3, steps: [request] }, { weight: 1, steps: [request, request] }],
          },
        }],
      },
    },
  };
  const profile = new TrafficProfile();
  const span = { first: 0, last: 39, seconds: 40, peak: 1, peakSecond: 0 };
  const { data: { charts: [{ series: [, { values }] }] } } = rateChart(profile, plan, span, "UTC");
  assertEquals([values[0], values[4], values[39]], [1.375, 2.375, 3.75]);
});

Deno.test("localTime formats times in its time zone, including when daylight saving time begins", () => {
  const second = Date.UTC(2026, 2, 29, 0, 59, 59) / 1_000;
  assertEquals(localTime(second, "Europe/Berlin"), "2026-03-29 01:59:59 Europe/Berlin");
  assertEquals(localTime(second + 1, "Europe/Berlin"), "2026-03-29 03:00:00 Europe/Berlin");
  assertEquals(localTime(second, "+05:30"), "2026-03-29 06:29:59 +05:30");
  assertEquals(localTime(second, "UTC"), "2026-03-29 00:59:59 UTC");
});
