/**
 * Opens the HTML reports in Chromium, from disk and offline. Checks for errors and accessibility,
 * and checks charts, tables, links, both themes and a phone-sized window. If Chromium is not
 * installed, prints a line and skips the checks.
 *
 *     deno run -A --no-lock scripts/browser_check.ts [FOLDER FOR SCREENSHOTS]
 */
import { join, toFileUrl } from "@std/path";
import { cli } from "../src/cli/cli.ts";
import { denoIo } from "../src/cli/system/io.ts";
import { startDemo } from "../src/demo/server.ts";
import { describeComparison } from "../src/report/compare/comparison_report.ts";
import { comparisonPage } from "../src/report/compare/print_comparison.ts";
import { reviewPage } from "../src/report/html/review_page.ts";
import { runReport } from "../src/report/html/run_report.ts";
import { longSummary } from "../tests/builders/long_summary.ts";
import { exampleReview } from "../tests/builders/review.ts";
import { runCli } from "../tests/support/cli.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
const HOSTILE = `</script><script>document.title="owned"</script><img src=x onerror=alert(1)>"'`;
const LAPTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

// Not dependencies of `rehearse`: only this script downloads them.
const { chromium } = await load("npm:playwright-core@1.65.1");
const AXE: string = (await load("npm:axe-core@4.14.1")).default.source;
const shots = Deno.args[0];
const folder = Deno.makeTempDirSync({ prefix: "rehearse-browser-" });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
let [passed, failed] = [0, 0];
const watchdog = setTimeout(() => Deno.exit(1), 600_000);

/** Imports a package. If it or Chromium is missing, prints a line and ends with exit code 0. */
// deno-lint-ignore no-explicit-any -- the package is not a dependency, so its types are unknown
async function load(name: string): Promise<any> {
  try {
    Deno.statSync(CHROMIUM);
    return await import(name);
  } catch (error) {
    console.log(`browser check: skipped: ${(error as Error).message}`);
    Deno.exit(0);
  }
}

/** What a check expects: a value, a pattern or a condition. */
// deno-lint-ignore no-explicit-any -- any value that a script of the page returns
type Expected = string | number | boolean | RegExp | ((value: any) => boolean);

/** An open page, and checks of what it shows. */
interface Opened {
  /** Page of playwright-core. */
  // deno-lint-ignore no-explicit-any -- see `load`
  readonly page: any;
  /** Checks, for at most 20 seconds, that `script` returns what is expected. */
  is(what: string, script: string, expected: Expected): Promise<void>;
  /** Checks that axe-core finds nothing in both themes, and saves a screenshot of both. */
  inspect(state: string): Promise<void>;
}

/** Opens a page that was written to a file, or that is at a URL. */
async function open(
  name: string,
  source: string | { readonly url: string },
  viewport: typeof LAPTOP,
  check: (opened: Opened) => Promise<void>,
): Promise<void> {
  const file = join(folder, `${name}.html`);
  if (typeof source === "string") Deno.writeTextFileSync(file, source);
  const isFile = typeof source === "string";
  const context = await browser.newContext({ colorScheme: "light", viewport, offline: isFile });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message: { text(): string }) => messages.push(message.text()));
  page.on("pageerror", (error: unknown) => messages.push(String(error)));
  await page.goto(isFile ? toFileUrl(file).href : source.url);
  const is = async (what: string, script: string, expected: Expected) => {
    const end = performance.now() + 20_000;
    let value = await page.evaluate(script);
    while (!matches(value, expected) && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      value = await page.evaluate(script);
    }
    report(`${name}: ${what} (${value})`, matches(value, expected));
  };
  const inspect = async (state: string) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(AXE);
      const axe = "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => " +
        "violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`).join())";
      await is(`axe-core finds nothing, ${state}, ${colorScheme}`, axe, "");
      if (shots === undefined) continue;
      const path = join(shots, `${name}-${state}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    await page.emulateMedia({ colorScheme: "light" });
  };
  await check({ page, is, inspect });
  report(`${name}: the console has no messages ${messages.join("; ")}`, messages.length === 0);
  await page.close();
}

// deno-lint-ignore no-explicit-any -- any value that a script of the page returns
function matches(value: any, expected: Expected): boolean {
  if (expected instanceof RegExp) return expected.test(value);
  return typeof expected === "function" ? expected(value) : value === expected;
}

function report(what: string, isTrue: boolean): void {
  if (isTrue) passed++;
  else failed++;
  if (!isTrue) console.error(`✗ ${what}`);
}

const text = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).innerText`;
const count = (selector: string) => `document.querySelectorAll(${JSON.stringify(selector)}).length`;
const rows = (caption: string) => count(`[aria-label=${caption}] tbody tr:not([hidden])`);
const range = (chart: number) => `(({min, max}) => max - min)(reportCharts[${chart}].scales.x)`;
const IMAGES = "document.images.length";
const HEADINGS = "[...document.querySelectorAll('h2')].map((h) => h.innerText).join()";
const HEIGHT = "document.documentElement.scrollHeight";
const OVERFLOW = "document.documentElement.scrollWidth - innerWidth";
const BACKGROUND = "getComputedStyle(document.body).backgroundColor";
const POINTS = "reportCharts[0].data[0].length";
const PAINTED = `reportCharts.every(({ctx: {canvas}}) =>
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((n) => n > 0))`;

async function checkRun(): Promise<void> {
  const summary = longSummary({ seconds: 3_600, endpoints: 300 });
  const rarest = summary.endpoints.toSorted((a, b) => a.count - b.count)[0].name;
  const html = await runReport(summary, "name: x\n");
  report("the report of a one-hour run with 300 endpoints is below 2 MB", html.length < 2e6);
  await open("run", html, LAPTOP, async ({ page, is, inspect }) => {
    await is("each chart has one point per second", POINTS, 3_600);
    await is("p95 is that of the summary", "reportCharts[1].data[2][9]", summary.timeline[9].p95);
    await is("the charts are painted", PAINTED, true);
    await is("the page is short until it is expanded", HEIGHT, (px) => px < 3_000);
    await inspect("opened");

    await page.hover("figure[data-chart='0'] .plot");
    const cursors = "new Set(reportCharts.slice(0, 4).map(({cursor}) => cursor.idx)).size";
    await is("all charts share the cursor", cursors, 1);
    const box = await page.locator(".u-over").first().boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await is("dragging zooms all charts", range(3), (seconds) => seconds > 850 && seconds < 950);
    await page.dblclick("figure[data-chart='2'] .u-over");
    await is("a double click resets the zoom", range(0), 3_599);
    await page.focus("figure[data-chart='1'] .plot");
    for (const key of ["End", "ArrowLeft", "+"]) await page.keyboard.press(key);
    await is("keys move the cursor", text(".live"), /^59:59 \(10:59:59 UTC\), p99 /);
    await is("the key + zooms in", range(1), (seconds) => seconds < 3_599);
    await page.keyboard.press("Escape");
    await is("the key Escape resets the zoom", range(1), 3_599);

    const latency = "figure[data-chart='1']";
    const shown = "reportCharts[1].series.slice(1).map(({show}) => show).join()";
    await page.click(`${latency} .key.three`);
    await is("a click on a label hides its line", shown, "false,true,true");
    await page.hover(`${latency} .plot`);
    await is(
      "the tooltip shows time and values",
      text(`${latency} .tip`),
      /UTC\)\s+p95 .*\s+p50 /,
    );
    await page.click(`${latency} .key.three`);
    await is("a second click shows the line", shown, "true,true,true");
    await page.click("#endpoint-2 a.opens");
    await is("the details of an endpoint have two charts", count("tr.detail .uplot"), 2);
    await inspect("with-details");
    await page.click("#endpoint-2 a.opens");
    await is("a second click closes the details", count("tr.detail .uplot"), 0);
    await page.evaluate("location.hash = '#endpoint-250'");
    await is("a link to a hidden endpoint opens its details", count("tr.detail .uplot"), 2);
    await is("all endpoints are shown", rows("Endpoints"), 301);
    await page.click("[aria-label=Failures] a");
    await is("a link to a sample shows it", "document.querySelector('.samples').open", true);
    const requests = "[aria-label=Endpoints] thead th:nth-child(2)";
    await page.click(`${requests} button`);
    await is("sorting closes the details", count("tr.detail .uplot"), 0);
    await is(
      "a click on the sorted column reverses the order",
      text("[aria-label=Endpoints] tbody code"),
      rarest,
    );
    await is("aria-sort is set", `document.querySelector("${requests}").ariaSort`, "ascending");
    await page.fill("input[type=search]", "resource-17/");
    await is("the filter hides all other rows", rows("Endpoints"), 1);
    await page.fill("input[type=search]", "");
    const wide =
      "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length";
    await is("no table is wider than the window", wide, 0);
    await page.emulateMedia({ colorScheme: "dark" });
    await is("the dark theme is dark", BACKGROUND, "rgb(21, 24, 28)");
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const cut = "[...document.querySelectorAll('.plot')].filter((place) => Math.abs(" +
      "place.querySelector('canvas').getBoundingClientRect().right - " +
      "place.getBoundingClientRect().right) > 1).length";
    await is("a printed chart is as wide as its column", cut, 0);
    if (shots) await page.screenshot({ path: join(shots, "run-print.png"), fullPage: true });
  });
  await open("phone", html, PHONE, async ({ is, inspect }) => {
    await is("a phone does not scroll horizontally", OVERFLOW, 0);
    await inspect("opened");
  });
}

async function checkHostileTexts(): Promise<void> {
  const summary = longSummary({ seconds: 30, endpoints: 20, name: (k) => `GET /${k}${HOSTILE}` });
  const run = await runReport({ ...summary, name: HOSTILE }, `name: ${HOSTILE}\n`);
  const notes = [{ rating: "bad" as const, kind: HOSTILE, subject: HOSTILE, message: HOSTILE }];
  const review = await reviewPage(exampleReview({ verdict: HOSTILE, notes }));
  for (const [name, html] of [["hostile run", run], ["hostile review", review]]) {
    await open(name, html, PHONE, async ({ is, inspect }) => {
      await is("hostile text adds no element", IMAGES, 0);
      await is("hostile text does not run", "document.title", (title) => title !== "owned");
      await is("a phone does not scroll horizontally", OVERFLOW, (px) => px <= 0);
      await inspect("opened");
    });
  }
}

async function checkComparisons(): Promise<void> {
  const runs = Array.from({ length: 7 }, (_, i) => ({
    file: `${HOSTILE} ${i}.json`,
    summary: longSummary({ seconds: 300, endpoints: 300, slower: 1 + 0.05 * i, seed: i }),
  }));
  const pair = await comparisonPage(describeComparison(runs.slice(0, 2)));
  await open("comparison", pair, LAPTOP, async ({ is, inspect }) => {
    await is("the charts contain both runs", POINTS, 300);
    await inspect("opened");
  });
  const trend = await comparisonPage(describeComparison(runs));
  await open("history", trend, LAPTOP, async ({ is, inspect }) => {
    await is("the table has one row for each run", count("#runs tbody tr"), 7);
    await is("recorded text adds no element", IMAGES, 0);
    await is("the page is short", HEIGHT, (px) => px < 3_000);
    await inspect("opened");
  });
}

/** Converts an input and returns the page that `--html` writes. */
async function converted(input: string, ...options: readonly string[]): Promise<string> {
  const path = new URL(`../testdata/${input}`, import.meta.url).pathname;
  const html = join(folder, "converted.html");
  const plan = join(folder, "plan.yaml");
  const { code } = await runCli(["convert", path, ...options, "--html", html, "-o", plan]);
  report(`convert writes the page of ${input}`, code === 0);
  return Deno.readTextFileSync(html);
}

async function checkLog(): Promise<void> {
  const log = await converted(
    "logs/apache_combined_10k.log",
    "--shape",
    "curve",
    "--time-zone",
    "+02:00",
  );
  await open("log", log, LAPTOP, async ({ page, is, inspect }) => {
    await is(
      "the chart shows log and plan",
      "reportCharts.map(({data}) => data.length).join()",
      "3",
    );
    await is("the charts are painted", PAINTED, true);
    await is(
      "warnings and statuses come first",
      HEADINGS,
      /^Warnings and notes,Statuses,Rate over time/,
    );
    await is("the table shows 20 endpoints", rows("Endpoints"), 20);
    await is("the chart has the zone of the log", "reportCharts[0].axes[0].label", "+02:00");
    await page.focus(".plot");
    await page.keyboard.press("Home");
    await is("the cursor shows the local time", text(".tip .at"), /^2015-05-17 12:.* \+02:00$/);
    await inspect("opened");
    await page.click("button.more");
    await is("a click shows all endpoints", rows("Endpoints"), 500);
  });
}

async function checkReview(): Promise<void> {
  // A search of JSON bodies only leaves stale values, each with an edit to copy.
  const har = "har/demo_shop_forms.har";
  await converted(har, "--correlate", "json");
  const path = new URL(`../testdata/${har}`, import.meta.url).pathname;
  const { stdout: html } = await runCli(
    ["verify", join(folder, "plan.yaml"), "--har", path, "--format", "html"],
  );
  await open("review", html, LAPTOP, async ({ page, is, inspect }) => {
    await page.fill('input[aria-label="Search calls"]', "STALE");
    await is("the search finds the text of all columns", rows("Calls"), 4);
    await page.click('[aria-label="Values"] a[href="#call-1"]');
    await is("a link to a hidden row shows all rows", rows("Calls"), 11);
    await page.click('[aria-label="Calls"] thead th:first-child button');
    await is("the calls are sorted by entry", text('[aria-label="Calls"] tbody th'), "11");
    await page.click("button.copy");
    await is("the edit is copied or selected", text(".live"), /^(Copied|Selected)/);
    await inspect("opened");
  });
}

/** Checks the live page of a run in two browsers, one of which connects late. */
async function checkLive(): Promise<void> {
  const plan = join(folder, "live.yaml");
  const name = JSON.stringify(HOSTILE);
  Deno.writeTextFileSync(
    plan,
    `
name: ${name}
thresholds: {http_req_duration: ["p(95)<2000"], http_req_failed: ["rate<0.01"]}
scenarios:
  browse:
    executor: constant-arrival-rate
    rate: 40
    duration: 8m
    pre_allocated_vus: 30
    flow:
      - request:
          {url: "/flaky?percent=40", name: ${name}, checks: [{type: status, equals: 200}]}
  ${name}:
    executor: constant-vus
    vus: 2
    duration: 8m
    flow: [{request: {url: /api/products}}, {think_time: 50ms}]
`,
  );
  const server = startDemo();
  let stderr = "";
  let press = () => {};
  const sink = (write: (text: string) => void) => ({ write, columns: () => undefined });
  const run = cli(["run", plan, "--base-url", server.origin, "--ui=0"], {
    ...denoIo(),
    stdout: sink(() => {}),
    stderr: sink((text) => void (stderr += text)),
    interrupts: (act) => (press = act, () => {}),
  });
  try {
    while (!stderr.includes("Live view")) await new Promise((resolve) => setTimeout(resolve, 50));
    const url = /Live view: (\S+)/.exec(stderr)![1];
    await open("live", { url }, LAPTOP, async ({ page, is, inspect }) => {
      await is("the page receives points", POINTS, (n) => n >= 4);
      await is("the run is in progress", text(".verdict"), /^Running /);
      await is("the charts are painted", PAINTED, true);
      await is("all parts are shown", HEADINGS, /Endpoints,Failures,Checks$/);
      await inspect("running");
      await open("late", { url }, PHONE, async ({ is }) => {
        await is(
          "a late browser gets earlier points",
          "reportCharts[0].data[0].slice(0, 4).join()",
          "1,2,3,4",
        );
        await is("a phone does not scroll horizontally", OVERFLOW, 0);
      });
      press();
      report("live: the run does not wait for browsers", await run === 130);
      await is("the page shows the verdict", text(".verdict"), /^✗ Failed 1 of 2 thresholds/);
      await is("the title has verdict and name", "document.title", /Failed: <\/script>/);
      await is("hostile text adds no element", IMAGES, 0);
      await is("the endpoints are shown", rows("Endpoints"), 2);
      const requests = "[aria-label=Endpoints] thead th:nth-child(2)";
      await page.click(`${requests} button`);
      await is(
        "a table can be sorted",
        `document.querySelector("${requests}").ariaSort`,
        "ascending",
      );
      await inspect("ended");
    });
  } finally {
    press();
    await run;
    await server.stop();
  }
}

try {
  await checkRun();
  await checkHostileTexts();
  await checkComparisons();
  await checkLog();
  await checkReview();
  await checkLive();
} finally {
  await browser.close();
  Deno.removeSync(folder, { recursive: true });
  clearTimeout(watchdog);
}
console.log(`browser check: ${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);
