/**
 * Opens the HTML reports in Chromium, from disk and offline. Checks for errors, and checks chart
 * points, the cursor, zooming, sorting, filtering, both themes and a phone-sized window. If
 * Chromium is not installed, prints a line and skips the checks.
 *
 *     deno run -A --no-lock scripts/browser_check.ts [FOLDER FOR SCREENSHOTS]
 */
import { join, toFileUrl } from "@std/path";
import { cli } from "../src/cli/cli.ts";
import { denoIo } from "../src/cli/system/io.ts";
import { startDemo } from "../src/demo/server.ts";
import type { Summary } from "../src/engine/summary/summary.ts";
import { describeComparison } from "../src/report/compare/comparison_report.ts";
import { comparisonPage } from "../src/report/compare/print_comparison.ts";
import { reviewPage } from "../src/report/html/review_page.ts";
import { runReport } from "../src/report/html/run_report.ts";
import { runCli } from "../tests/support/cli.ts";
import { exampleReview } from "../tests/builders/review.ts";
import { longSummary } from "../tests/builders/long_summary.ts";

const CHROMIUM = "/usr/bin/chromium";
// Not a dependency of `rehearse`: only this script downloads it.
const DRIVER = "npm:playwright-core@1.56.1";
const AXE_MODULE = "npm:axe-core@4.14.1";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const HOSTILE = `</script><script>document.title="owned"</script><img src=x onerror=alert(1)>"'`;

const LIVE_PLAN = `
name: ${JSON.stringify(HOSTILE)}
thresholds:
  http_req_duration: ["p(95)<2000"]
  http_req_failed: ["rate<0.01"]
scenarios:
  browse:
    executor: ramping-arrival-rate
    start_rate: 40
    stages: [{duration: 10m, target: 60}]
    pre_allocated_vus: 30
    flow:
      - request:
          url: /flaky?percent=40
          name: ${JSON.stringify(`a ${HOSTILE}`)}
          checks: [{type: status, equals: 200, name: ${JSON.stringify(`check ${HOSTILE}`)}}]
  ${JSON.stringify(`later ${HOSTILE}`)}:
    executor: constant-vus
    vus: 2
    duration: 8m
    start_time: 2s
    flow: [{request: {url: /api/products}}, {think_time: 50ms}]
`;

const RANGES = "reportCharts.slice(0, 4).map(({scales: {x}}) => x.max - x.min)";
const PAINTED = `reportCharts.every(({ctx: {canvas}}) =>
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((n) => n > 0))`;

/** The part of playwright-core's page API that this script uses. */
interface Page {
  goto(url: string): Promise<unknown>;
  // deno-lint-ignore no-explicit-any -- any value that the page's script returns
  evaluate(script: string): Promise<any>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  hover(selector: string, options?: object): Promise<void>;
  click(selector: string): Promise<void>;
  dblclick(selector: string, options?: object): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  focus(selector: string): Promise<void>;
  emulateMedia(options: { media?: "print"; colorScheme?: "dark" | "light" }): Promise<void>;
  on(event: string, listen: (what: { text?(): string }) => void): void;
  close(): Promise<void>;
  readonly mouse: {
    move(x: number, y: number, options?: object): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
  };
  readonly keyboard: { press(key: string): Promise<void> };
}
interface Browser {
  newContext(options: object): Promise<{ newPage(): Promise<Page> }>;
  close(): Promise<void>;
}

if (!exists(CHROMIUM)) {
  console.log(`browser check: skipped, because ${CHROMIUM} does not exist`);
  Deno.exit(0);
}
const shots = Deno.args[0];
const { chromium } = await driver(DRIVER);
const AXE: string = (await driver(AXE_MODULE)).default.source;
const folder = Deno.makeTempDirSync({ prefix: "rehearse-browser-" });
const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
let name = "";
let failed = 0;
let passed = 0;
const watchdog = setTimeout(() => {
  console.error(`browser check: timed out after 10 min in ${name}`);
  Deno.exit(1);
}, 600_000);
try {
  await checkLongRun();
  await checkHostileRun();
  await checkComparison();
  await checkLog();
  await checkReview();
  await checkLive();
} finally {
  await browser.close();
  Deno.removeSync(folder, { recursive: true });
}
clearTimeout(watchdog);
console.log(`browser check: ${passed} passed, ${failed} failed`);
Deno.exit(failed > 0 ? 1 : 0);

/** Imports a package. If that fails, prints a line and ends the process with exit code 0. */
// deno-lint-ignore no-explicit-any -- the package is not a dependency, so its types are unknown
async function driver(name: string): Promise<any> {
  try {
    return await import(name);
  } catch (error) {
    console.log(
      `browser check: skipped, because ${name} cannot be loaded: ${(error as Error).message}`,
    );
    Deno.exit(0);
  }
}

/**
 * Checks that axe-core finds no accessibility problems in a page, in either the light or the dark
 * theme.
 */
async function checkAccessibility(page: Page, state: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
      "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)",
    );
    const list = found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`).join("; ");
    expect(`axe-core finds nothing, ${state}, ${colorScheme} ${list}`, found.length === 0);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

async function checkLongRun(): Promise<void> {
  const summary = longSummary({ seconds: 3_600, endpoints: 300 });
  const report = await runReport(summary, "name: x\n");
  expect(
    "the report of a one-hour run with 300 endpoints is smaller than 2 MB",
    report.length < 2e6,
  );
  const took: number[] = [];
  for (let i = 0; i < 3; i++) {
    await open("long", report, { width: 1280, height: 900 }, async (page) => {
      const load = "performance.getEntriesByType('navigation')[0].loadEventEnd";
      took.push(Math.round(await page.evaluate(load)));
    });
  }
  // Not a check, because other processes on the machine add time.
  console.log(
    `browser check: the report of a one-hour run with 300 endpoints has ${report.length} characters and ` +
      `opens in ${took.join(", ")} ms`,
  );
  await open("long", report, { width: 1280, height: 900 }, async (page) => {
    const points = await page.evaluate("reportCharts.map((plot) => plot.data[0].length)");
    expect(
      "each chart has one point per second",
      points.slice(0, 4).every((n: number) => n === 3_600),
    );
    expect(
      "the p95 line has the values of the summary",
      await page.evaluate("reportCharts[1].data[2][1799]") === summary.timeline[1_799].p95,
    );
    expect("the charts are painted", await page.evaluate(PAINTED));
    const height = await page.evaluate("document.documentElement.scrollHeight");
    expect(`the page is shorter than 3,000 px until it is expanded (${height})`, height < 3_000);
    await checkAccessibility(page, "as opened");
    await checkCursorAndZoom(page);
    await checkChartTools(page);
    await checkDetails(page);
    await checkTable(page, summary.endpoints.toSorted((a, b) => a.count - b.count)[0].name);
    const wide =
      "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length";
    expect("no table is wider than the window of a laptop", await page.evaluate(wide) === 0);
    await shoot(page, "light");
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect("the dark theme has a dark background", dark === "rgb(21, 24, 28)");
    await shoot(page, "dark");
    await page.click(".theme");
    const light = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect("the theme button switches to a light background", light === "rgb(255, 255, 255)");
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const cut = "[...document.querySelectorAll('.plot')].filter((place) => Math.abs(" +
      "place.querySelector('canvas').getBoundingClientRect().right - " +
      "place.getBoundingClientRect().right) > 1).length";
    expect("a printed chart is as wide as its column", await page.evaluate(cut) === 0);
    await shoot(page, "print");
  });
  await open("phone", report, { width: 390, height: 844 }, async (page) => {
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect("a phone does not scroll horizontally", width === 390);
    await shoot(page, "phone");
  });
}

async function checkCursorAndZoom(page: Page): Promise<void> {
  await page.hover("figure[data-chart='0'] .plot");
  const cursors = await page.evaluate("reportCharts.slice(0, 4).map((plot) => plot.cursor.idx)");
  expect("all charts share the cursor", cursors[0] > 0 && new Set(cursors).size === 1);
  const box = await page.evaluate(
    "(({left, top, width}) => ({left, top, width}))(document.querySelector('.u-over').getBoundingClientRect())",
  );
  await page.mouse.move(box.left + box.width / 4, box.top + 40);
  await page.mouse.down();
  await page.mouse.move(box.left + box.width / 2, box.top + 60, { steps: 4 });
  await page.mouse.up();
  const zoomed = await page.evaluate(RANGES);
  expect(
    "dragging zooms all charts",
    zoomed[0] > 850 && zoomed[0] < 950 && new Set(zoomed).size === 1,
  );
  await page.dblclick("figure[data-chart='2'] .u-over");
  const whole = await page.evaluate(RANGES);
  expect(
    "a double click resets the zoom of all charts",
    whole[0] === 3_599 && new Set(whole).size === 1,
  );
  await page.focus("figure[data-chart='1'] .plot");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("+");
  const spoken = await page.evaluate("document.querySelector('.live').textContent");
  expect(
    `keys move the cursor and announce its values (${spoken})`,
    spoken.startsWith("59:59 (10:59:59 UTC), p99 "),
  );
  expect("the key + zooms in", (await page.evaluate(RANGES))[0] < 3_599);
  await page.keyboard.press("Escape");
  expect("the key Escape resets the zoom", (await page.evaluate(RANGES))[0] === 3_599);
}

/**
 * Checks the controls of charts: legend labels that hide lines, the tooltip, and the button for the
 * log scale.
 */
async function checkChartTools(page: Page): Promise<void> {
  const latency = "figure[data-chart='1']";
  await page.click(`${latency} .key.three`);
  const shown = "reportCharts[1].series.slice(1).map(({show}) => show).join()";
  expect("a click on a label hides its line", await page.evaluate(shown) === "false,true,true");
  await page.hover(`${latency} .plot`);
  const tip = await page.evaluate(`document.querySelector("${latency} .tip").innerText`);
  expect(
    `the tooltip shows the time, the visible values and the phase (${tip})`,
    /^\d+:\d\d.* \(1\d:\d\d:\d\d UTC\)\s+p95 .*\s+p50 .*\s+browse: stage \d of 2/.test(tip),
  );
  await page.click(`${latency} .key.three`);
  expect("a second click shows the line again", await page.evaluate(shown) === "true,true,true");
  await page.click(`${latency} .tool`);
  const range = await page.evaluate("[reportCharts[1].scales.y.min, reportCharts[1].scales.y.max]");
  expect(`the log scale starts above 0 (${range})`, range[0] > 0 && range[1] > 100 * range[0]);
  await page.click(`${latency} .tool`);
  expect("the linear scale starts at 0", await page.evaluate("reportCharts[1].scales.y.min") === 0);
}

/**
 * Checks the details of endpoints, the samples of failures, and the links to details and samples.
 */
async function checkDetails(page: Page): Promise<void> {
  await page.click("#endpoint-2 a.opens");
  const charts = "document.querySelectorAll('tr.detail .uplot').length";
  expect("the details of an endpoint have two charts", await page.evaluate(charts) === 2);
  expect(
    "the URL identifies the endpoint",
    (await page.evaluate("location.hash")) === "#endpoint-2",
  );
  await checkAccessibility(page, "with details");
  await shoot(page, "details");
  await page.click("#endpoint-2 a.opens");
  expect("a second click closes the details", await page.evaluate(charts) === 0);
  await page.evaluate("location.hash = '#endpoint-250'");
  await until(async () => await page.evaluate(charts) === 2);
  const isShown = "document.getElementById('endpoint-250').getBoundingClientRect().height > 0";
  expect("a link to a hidden endpoint shows it with its details", await page.evaluate(isShown));
  const rows =
    "[...document.querySelectorAll('[aria-label=Endpoints] tbody tr')].filter((row) => " +
    "!row.hidden).length";
  expect("all endpoints are shown", await page.evaluate(rows) === 301);
  const head = "document.querySelector('[aria-label=Endpoints] thead th').getBoundingClientRect()";
  await page.evaluate("document.querySelector('[aria-label=Endpoints]').scrollTop = 2000");
  expect(
    "the heading of a long table stays visible",
    await page.evaluate(
      `${head}.top - document.querySelector('[aria-label=Endpoints]')` +
        `.getBoundingClientRect().top < 2`,
    ),
  );
  await page.click("[aria-label=Failures] a");
  const open = "document.querySelector('details.samples').open";
  await until(async () => await page.evaluate(open));
  expect("a link to a sample shows it", await page.evaluate(open));
  await page.evaluate(
    "globalThis.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this) }",
  );
  await page.click("#thresholds .csv");
  const csv = await page.evaluate("saved[0].download");
  expect(`a table can be saved as CSV (${csv})`, csv === "thresholds.csv");
  await page.click("[aria-label=Endpoints] thead th:nth-child(2) button");
  expect("sorting closes the details", await page.evaluate(charts) === 0);
  await page.evaluate("document.querySelector('details.samples').open = false");
}

async function checkTable(page: Page, rarest: string): Promise<void> {
  const first = "document.querySelector('table.sortable tbody tr th code').textContent";
  const requests = "table.sortable thead th:nth-child(2) button";
  await page.click(requests);
  await page.click(requests);
  expect(
    "sorting by a column twice gives ascending order",
    await page.evaluate(first) === rarest,
  );
  const sorted = "document.querySelector('table.sortable thead th:nth-child(2)').ariaSort";
  expect("aria-sort contains the sort order", await page.evaluate(sorted) === "ascending");
  await page.fill("input[type=search]", "resource-17/");
  const shown =
    "document.querySelectorAll('table.sortable tbody tr:not([hidden]):has(.bars)').length";
  expect("the filter hides all other rows", await page.evaluate(shown) === 1);
  await page.fill("input[type=search]", "");
}

async function checkHostileRun(): Promise<void> {
  const summary = longSummary({ seconds: 30, endpoints: 20, name: (k) => `GET /${k}${HOSTILE}` });
  const report = await runReport({ ...summary, name: HOSTILE }, `name: ${HOSTILE}\n`);
  await open("hostile", report, { width: 800, height: 600 }, async (page) => {
    const title = await page.evaluate("document.title");
    expect("a hostile name is shown as text", title.startsWith("</script>"));
    expect("hostile text adds no element", await page.evaluate("document.images.length") === 0);
    await checkAccessibility(page, "as opened");
  });
}

async function checkComparison(): Promise<void> {
  const before = longSummary({ seconds: 300, endpoints: 30 });
  const after = longSummary({ seconds: 280, endpoints: 32, slower: 1.3, seed: 2 });
  const run = (summary: Summary, file: string) => ({ file, summary });
  const pair = [run(before, HOSTILE), run(after, "after.json")];
  const report = await comparisonPage(describeComparison(pair), pair);
  await open("comparison", report, { width: 1280, height: 900 }, async (page) => {
    const points = await page.evaluate("reportCharts.map((plot) => plot.data[0].length)");
    expect("the charts contain both runs", points[0] === 300);
    await checkAccessibility(page, "as opened");
    await shoot(page, "light");
  });
  const runs = Array.from({ length: 7 }, (_, i) =>
    longSummary({
      seconds: 60,
      endpoints: 300,
      slower: 1 + 0.05 * i,
      seed: i,
      name: (k) => k % 7 === 0 ? `${k} <img src=x onerror=alert(1)>` : `GET /items/${k}`,
    }));
  const files = runs.map((summary, i) => run(summary, `${HOSTILE} ${i}.json`));
  const trend = await comparisonPage(describeComparison(files), files);
  await open("history", trend, { width: 1280, height: 900 }, async (page) => {
    const rows = await page.evaluate("document.querySelectorAll('#runs tbody tr').length");
    expect("the table of runs has one row for each run", rows === 7);
    expect(
      "recorded text does not run as a script",
      (await page.evaluate("document.title")) !== "owned",
    );
    const height = await page.evaluate("document.documentElement.scrollHeight");
    expect(`a page with 300 endpoints is shorter than 3,000 px (${height})`, height < 3_000);
    await checkAccessibility(page, "as opened");
    await page.emulateMedia({ colorScheme: "dark" });
    await shoot(page, "dark");
  });
}

async function checkLog(): Promise<void> {
  const log = new URL("../testdata/logs/apache_combined_10k.log", import.meta.url).pathname;
  const [plan, html] = [join(folder, "plan.yaml"), join(folder, "picture.html")];
  const options = ["--shape", "curve", "--warnings", "json", "-o", plan, "--html", html];
  const { code } = await runCli(["convert", log, ...options]);
  expect("convert writes the report of a log", code === 0);
  await open("log", Deno.readTextFileSync(html), { width: 1280, height: 900 }, async (page) => {
    const points = await page.evaluate("reportCharts.map((plot) => plot.data.length)");
    expect(
      "the charts contain the log, the plan and their ratio",
      points.join() === "3,4" && await page.evaluate(PAINTED),
    );
    expect(
      "the ratio is drawn on a log scale from 1/16 to 16",
      await page.evaluate("[reportCharts[1].scales.y.min, reportCharts[1].scales.y.max].join()") ===
        "0.0625,16",
    );
    const sections = "[...document.querySelectorAll('h2')].map((h) => h.innerText).join()";
    expect(
      "warnings and statuses come first",
      (await page.evaluate(sections)).startsWith("Warnings and notes,Statuses,Rate over time"),
    );
    const rows = "[...document.querySelectorAll('[aria-label=Endpoints] tbody tr')]" +
      ".filter((row) => !row.hidden).length";
    expect("the table shows 20 endpoints", await page.evaluate(rows) === 20);
    const busiest = "document.querySelector('svg.heat').getAttribute('aria-label')";
    expect(
      "the heat map states the busiest hour",
      /on \w+day from/.test(await page.evaluate(busiest)),
    );
    await checkAccessibility(page, "as opened");
    await shoot(page, "light");
    await page.click("button.more");
    expect("a click shows all endpoints", await page.evaluate(rows) === 500);
    await page.emulateMedia({ colorScheme: "dark" });
    await shoot(page, "dark");
  });
  await runCli(["convert", log, ...options, "--time-zone", "+02:00"]);
  await open("log", Deno.readTextFileSync(html), { width: 1280, height: 900 }, async (page) => {
    const label = await page.evaluate("reportCharts[0].axes[0].label");
    expect("the chart has the zone of the log", label === "+02:00");
    await page.focus(".plot");
    await page.keyboard.press("Home");
    const at = "document.querySelector('.tip .at').textContent";
    expect(
      "the cursor shows the local time",
      /^2015-05-17 12:.* \+02:00$/.test(await page.evaluate(at)),
    );
  });
}

async function checkReview(): Promise<void> {
  const har = new URL("../testdata/har/demo_shop_forms.har", import.meta.url).pathname;
  const [plan, html] = [join(folder, "review.yaml"), join(folder, "shown.html")];
  // A search of JSON bodies only leaves stale values, each with an edit to copy.
  const search = ["--correlate", "json", "--verify"];
  const { code } = await runCli(["convert", har, "-o", plan, ...search, "--html", html]);
  expect("convert writes the review of a HAR", code === 0);
  const review = Deno.readTextFileSync(html);
  await open("review", review, { width: 1280, height: 900 }, async (page) => {
    const calls = '[aria-label="Calls"]';
    const shown = `document.querySelectorAll('${calls} tbody tr:not([hidden])').length`;
    await page.fill('input[aria-label="Search calls"]', "STALE");
    expect("the search finds the text of all columns", await page.evaluate(shown) === 4);
    await page.click('[aria-label="Values"] a[href="#call-1"]');
    expect("a link to a hidden row shows all rows", await page.evaluate(shown) === 11);
    const entries = `[...document.querySelectorAll('${calls} tbody th')].map((th) => th.innerText)`;
    await page.click(`${calls} thead th:first-child button`);
    expect("the calls are sorted by entry", (await page.evaluate(entries))[0] === "11");
    await page.click("button.copy");
    const live = "document.querySelector('.live').textContent";
    // Until the browser has copied the edit, the status still shows the number of rows.
    const copied = await until(async () => {
      const status: string = await page.evaluate(live);
      return /^(Copied|Selected)/.test(status) && status;
    });
    expect(`the edit is copied or selected (${copied})`, copied !== "");
    await checkAccessibility(page, "as opened");
    await shoot(page, "light");
    await page.emulateMedia({ colorScheme: "dark" });
    await shoot(page, "dark");
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    await shoot(page, "print");
  });
  const hostile = await reviewPage(exampleReview({
    verdict: HOSTILE,
    notes: [{ rating: "bad", kind: HOSTILE, subject: HOSTILE, message: HOSTILE }],
  }));
  await open("hostile review", hostile, { width: 390, height: 800 }, async (page) => {
    expect("hostile text adds no element", await page.evaluate("document.images.length") === 0);
    const overflow = "document.documentElement.scrollWidth - innerWidth";
    expect("the page fits a phone", await page.evaluate(overflow) <= 0);
    await shoot(page, "phone");
  });
}

/** Checks the live page of a run in two browsers, one of which connects late. */
async function checkLive(): Promise<void> {
  const plan = join(folder, "live.yaml");
  Deno.writeTextFileSync(plan, LIVE_PLAN);
  const server = startDemo();
  let stderr = "";
  const sink = (write: (text: string) => void) => ({ write, columns: () => undefined });
  let press = () => {};
  const io = {
    ...denoIo(),
    stdout: sink(() => {}),
    stderr: sink((text) => void (stderr += text)),
    interrupts(act: () => void) {
      press = act;
      return () => {};
    },
  };
  const run = cli(["run", plan, "--base-url", server.origin, "--ui=0"], io);
  try {
    const url = await until(() => Promise.resolve(/Live view: (\S+)/.exec(stderr)?.[1]));
    await look("live", url, { viewport: { width: 1280, height: 900 } }, async (page) => {
      const points = "reportCharts[0].data[0].length";
      const seen = await until(async () => await page.evaluate(points) >= 4 && points);
      expect("the page receives new points", seen === points);
      const head = await page.evaluate("document.querySelector('.verdict').textContent");
      expect(`the page shows that the run is in progress (${head})`, head.startsWith("Running "));
      expect("the charts are painted", await page.evaluate(PAINTED));
      const count = (caption: string) =>
        page.evaluate(`document.querySelectorAll("[aria-label=${caption}] tbody tr").length`);
      await until(async () => await count("Endpoints") === 2 && await count("Failures") > 0);
      expect("the page shows the checks during the run", await count("Checks") === 1);
      const running = "[...document.querySelectorAll('h2')].map((h) => h.innerText).join()";
      expect(
        "the page shows endpoints, failures and checks during the run",
        (await page.evaluate(running)).endsWith("Endpoints,Failures,Checks"),
      );
      await checkAccessibility(page, "during the run");
      await shoot(page, "running");
      await look("live-late", url, { viewport: { width: 390, height: 844 } }, async (late) => {
        await until(async () => await late.evaluate(points) > 0 && points);
        const x = await late.evaluate("reportCharts[0].data[0].slice(0, 4)");
        expect("a late browser receives the earlier points", String(x) === "1,2,3,4");
        const width = await late.evaluate("document.documentElement.scrollWidth");
        expect("a phone does not scroll horizontally", width === 390);
        await shoot(late, "running");
      });
      name = "live";
      press();
      expect("the run does not wait for browsers", await run === 130);
      const verdict = "document.querySelector('.verdict').textContent";
      const end = await until(async () => {
        const text = await page.evaluate(verdict);
        return text.startsWith("Running") ? undefined : text;
      });
      expect(
        `the page shows the verdict of the finished run (${end})`,
        end.startsWith("✗ Failed 1 of 2 thresholds"),
      );
      const title = await page.evaluate("document.title");
      expect(
        "the title contains the verdict and hostile text",
        title.includes("Failed: </script>"),
      );
      expect("hostile text adds no element", await page.evaluate("document.images.length") === 0);
      const rows = "document.querySelectorAll('[aria-label=Endpoints] tbody tr').length";
      expect("the page shows the endpoints of the finished run", await page.evaluate(rows) === 2);
      await page.click("[aria-label=Endpoints] thead th:nth-child(2) button");
      const sorted =
        "document.querySelector('[aria-label=Endpoints] thead th:nth-child(2)').ariaSort";
      expect("the reader can sort the endpoints", await page.evaluate(sorted) === "ascending");
      await checkAccessibility(page, "after the run");
      await shoot(page, "ended");
    });
  } finally {
    press();
    await run;
    await server.stop();
  }
}

/** Polls `ask` until it returns a truthy value, and returns it. Throws after one minute. */
async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const found = await ask();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`timed out after 60s: ${ask}`);
}

async function open(
  of: string,
  report: string,
  viewport: { width: number; height: number },
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const path = join(folder, `${of}.html`);
  Deno.writeTextFileSync(path, report);
  await look(of, toFileUrl(path).href, { viewport, offline: true }, check);
}

async function look(
  of: string,
  url: string,
  options: object,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  name = of;
  const context = await browser.newContext({ colorScheme: "light", ...options });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text!()));
  page.on("pageerror", (error) => messages.push(String(error)));
  await page.goto(url);
  await check(page);
  expect(`the console has no messages ${messages.join("; ")}`, messages.length === 0);
  await page.close();
}

async function shoot(page: Page, as: string): Promise<void> {
  if (shots === undefined) return;
  await page.screenshot({ path: join(shots, `${name}-${as}.png`), fullPage: true });
}

function expect(what: string, isTrue: boolean): void {
  if (isTrue) passed++;
  else failed++;
  if (!isTrue) console.error(`✗ ${name}: ${what}`);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
