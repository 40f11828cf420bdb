// Checks with k6 that exported scripts do what their plans do. Converts recordings, runs each plan
// with rehearse and its script with k6 against a server that repeats the recorded responses, and
// compares the requests. Then compares the results of thresholds on the demo shop.
//
// deno run -A scripts/k6_export.ts [--k6 PATH] [FILE...]
import { assertEquals } from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { basename, fromFileUrl, join } from "@std/path";
import { startDemo } from "../src/demo/server.ts";
import { exportK6 } from "../src/export/k6.ts";
import { mapSteps } from "../src/plan/kinds/list_requests.ts";
import { loadPlan } from "../src/plan/load_plan.ts";
import { printPlan } from "../src/plan/print.ts";
import type { Plan } from "../src/plan/schema/plan.ts";

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
const DATA = fromFileUrl(new URL("../testdata/", import.meta.url));
/** Maximum duration of one run of a tool, in milliseconds. */
const MOST_MS = 120_000;
/** Thresholds on the demo shop, with a result for each way in which it can behave. */
const THRESHOLDS: Plan["thresholds"] = {
  http_req_duration: ["p(95)<400"],
  http_req_failed: ["rate<0.05"],
  checks: ["rate>0.95"],
  http_reqs: ["count>5"],
};

const OPTIONS = { plan: "plan.yaml", version: "0", filePath: (path: string) => path };
/** Matches UUIDs and boundaries of multipart bodies, which both tools generate at random. */
const RANDOM =
  /(?:rehearse-)?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;
/** Headers that k6 sets itself. It adds a Referer when it follows a redirect. */
const OWN = /^(?:user-agent|content-length|connection|host|referer|sec-websocket-.*)$/;

const args = parseArgs(Deno.args, { string: ["k6"], default: { k6: "k6" } });
const folder = await Deno.makeTempDir({ prefix: "k6-export-" });
const [planFile, scriptFile] = [join(folder, "plan.yaml"), join(folder, "script.js")];
let failures = 0;
try {
  console.log((await run(args.k6, "version")).text.trim());
  for (const file of args._.length > 0 ? args._.map(String) : recordings()) {
    const isHar = file.endsWith(".har");
    const variants = isHar
      ? [[], ["--checks", "--group", "--secrets"], ["--keep-static", "--think-time"]]
      : [["--top", "50", "--query"], ["--top", "50", "--query", "--route", "auto"]];
    for (const options of variants) {
      await check(`${basename(file)} ${options.join(" ")}`, () => compareRequests(file, options));
    }
  }
  for (const shop of [{}, { failPercent: 30 }, { slowMs: 500 }]) {
    await check(`demo shop ${JSON.stringify(shop)}`, () => compareThresholds(shop));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
console.log(failures === 0 ? "all equal" : `${failures} with differences`);
Deno.exit(failures === 0 ? 0 : 1);

/** Returns the paths of the recordings and of some logs in the repository. */
function recordings(): string[] {
  return ["har", "har/real", "har/shapes", "har/labelled", "logs", "logs/samples"].flatMap((path) =>
    [...Deno.readDirSync(join(DATA, path))].map(({ name }) => join(DATA, path, name))
      .filter((name) => /\.(?:har|log)$/.test(name)).sort()
  );
}

async function check(name: string, compare: () => Promise<string>): Promise<void> {
  try {
    console.log(`${name}: ${await compare()}`);
  } catch (error) {
    failures++;
    console.log(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Runs a program, and returns its output and its exit code. */
async function run(program: string, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(MOST_MS),
  }).output();
  const [text, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, text, error };
}

function rehearse(...args: string[]) {
  return run(Deno.execPath(), "run", "-A", MAIN, ...args);
}

/** Returns the text of the converted plan with `origin` in place of the recorded origins. */
function planText(origin: string): string {
  return Deno.readTextFileSync(planFile)
    .replace(/(?<=[\s"'])(?:http|ws)s?:\/\/[^/\s"'$]+/g, origin);
}

/** Converts a recording, and throws an error if k6 sends other requests than rehearse. */
async function compareRequests(file: string, options: readonly string[]): Promise<string> {
  const converted = await rehearse("convert", file, ...options, "-o", planFile);
  if (converted.code !== 0) return `not convertible: ${converted.error.split("\n")[0]}`;
  const server = startReplay(file.endsWith(".har") ? file : undefined);
  const origin = `http://127.0.0.1:${server.port}`;
  const text = planText(origin);
  const plan = runnable(loadPlan(text).plan!, origin);
  Deno.writeTextFileSync(planFile, printPlan(plan, []));
  const { text: script, notes } = exportK6(plan, OPTIONS);
  Deno.writeTextFileSync(scriptFile, script);
  for (const secret of Object.values(plan.secrets ?? {})) {
    if ("env" in secret) Deno.env.set(secret.env, "a secret");
  }
  try {
    const ours = await rehearse("run", planFile, "--quiet");
    const isParallel = /\n +- parallel:/.test(text);
    const expected = server.take(isParallel);
    const theirs = await run(args.k6, "run", "--quiet", scriptFile);
    const actual = server.take(isParallel);
    assertEquals(actual, expected);
    const faults = theirs.error.split("\n").filter((line) => line.includes("level=error"));
    // 1: no request got a response. k6 does not have such an exit code.
    assertEquals([theirs.code, faults], [ours.code === 1 ? 0 : ours.code, []]);
    if (expected.length === 0) throw new Error("no requests");
    return `${expected.length} equal requests${
      notes.map(({ subject }) => `, ${subject}`).join("")
    }`;
  } finally {
    await server.stop();
  }
}

/**
 * Returns a plan that makes both tools send the same requests: each scenario runs once, with all
 * choices of a `random` step, rows in order, and short pauses. Sends relative URLs to `origin`.
 */
function runnable(plan: Plan, origin: string): Plan {
  const scenarios = Object.entries(plan.scenarios).map(([name, { new_user = false, flow }]) => [
    name,
    {
      executor: "per-vu-iterations" as const,
      vus: 1,
      iterations: plan.data === undefined ? 1 : 3,
      new_user,
      flow: mapSteps(flow, (step) => {
        if (step.think_time !== undefined) return { think_time: "2ms" };
        if (step.random === undefined) return step;
        const steps = step.random.choices.flatMap((choice) => choice.steps);
        return { group: { name: "all choices", steps } };
      }),
    },
  ]);
  const data = Object.entries(plan.data ?? {}).map(([name, { weight_column: _, ...feeder }]) => [
    name,
    { ...feeder, pick: "sequential" },
  ]);
  const { thresholds: _, ...rest } = plan;
  const http = { ...plan.defaults?.http, base_url: origin };
  return {
    ...rest,
    defaults: { ...plan.defaults, http },
    ...plan.data !== undefined && { data: Object.fromEntries(data) },
    scenarios: Object.fromEntries(scenarios),
  };
}

/** Starts a server that repeats the recorded responses to each method and path in order. */
function startReplay(har: string | undefined) {
  let received: string[] = [];
  let used = new Map<string, number>();
  const { entries } = har === undefined
    ? { entries: [] }
    : JSON.parse(Deno.readTextFileSync(har).replace(/^\uFEFF/, "")).log;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = [...request.headers].filter(([name]) => !OWN.test(name))
      .map(([name, value]) => `${name}: ${value.split("; ").sort().join("; ")}`);
    const line = `${request.method} ${pathname.replace(/[\\^`{|}]/g, encodeURIComponent)}${search}`;
    const body = new TextDecoder("latin1").decode(await request.arrayBuffer());
    received.push([line, ...headers.sort(), "", body].join("\n").replace(RANDOM, "RANDOM"));
    const key = `${request.method} ${pathname}`;
    const list = entries.filter((entry: { request: { method: string; url: string } }) =>
      key === `${entry.request.method} ${URL.parse(entry.request.url)?.pathname}`
    );
    const at = used.get(key) ?? 0;
    used.set(key, at + 1);
    const { status = 200, content = {}, headers: given = [] } =
      list[Math.min(at, list.length - 1)]?.response ?? {};
    const response = new Headers();
    for (const { name, value } of given as { name: string; value: string }[]) {
      if (/^(?:location|set-cookie|content-type|etag|x-[\w-]+)$/i.test(name)) {
        for (const one of value.split("\n")) response.append(name, one);
      }
    }
    const isEmpty = [204, 205, 304].includes(status);
    const text = content.encoding === "base64" ? "" : content.text ?? "";
    return new Response(isEmpty ? null : text, {
      status: status < 200 || status > 599 ? 200 : status,
      headers: response,
    });
  });
  return {
    port: server.addr.port,
    take(isParallel: boolean) {
      const all = isParallel ? received.sort() : received;
      [received, used] = [[], new Map()];
      return all;
    },
    stop: () => server.shutdown(),
  };
}

/** Runs the recorded session of the demo shop, and compares the results of all thresholds. */
async function compareThresholds(options: Parameters<typeof startDemo>[0]): Promise<string> {
  const shop = startDemo(options);
  try {
    const har = join(DATA, "har/demo_shop_forms.har");
    await rehearse("convert", har, "--checks", "-o", planFile);
    const plan = { ...loadPlan(planText(shop.origin)).plan!, thresholds: THRESHOLDS };
    Deno.writeTextFileSync(planFile, printPlan(plan, []));
    Deno.writeTextFileSync(scriptFile, exportK6(plan, OPTIONS).text);
    const summary = join(folder, "summary.json");
    const ours = await rehearse("run", planFile, "--quiet", "--summary-export", summary);
    const expected = JSON.parse(Deno.readTextFileSync(summary)).thresholds
      .map(({ metric, passed }: { metric: string; passed: boolean }) => `${metric}: ${passed}`);
    const theirs = await run(args.k6, "run", "--quiet", "--summary-export", summary, scriptFile);
    const { metrics } = JSON.parse(Deno.readTextFileSync(summary));
    const actual = Object.keys(THRESHOLDS!).map((name) => {
      const thresholds = metrics[name].thresholds;
      return `${name}: ${!Object.values(thresholds).some(Boolean)}`;
    });
    assertEquals([theirs.code, ...actual.sort()], [ours.code, ...expected.sort()]);
    return actual.join(", ");
  } finally {
    await shop.stop();
  }
}
