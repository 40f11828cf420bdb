// Checks that exported k6 scripts do what their plans do: converts recordings and logs, exports the
// plans, runs each with rehearse and with k6 against a recording server, and compares the requests.
// Then compares plans of a log that run as converted, the results of thresholds on the demo shop, and
// the mix of a weighted plan.
//
// deno run -A scripts/k6_export.ts [--k6 PATH] [FILE...]
import { parseArgs } from "@std/cli/parse-args";
import { basename, fromFileUrl, join } from "@std/path";
import { startDemo } from "../src/demo/server.ts";
import { exportK6 } from "../src/export/k6/export_k6.ts";
import { loadPlan } from "../src/plan/load_plan.ts";
import { printPlan } from "../src/plan/print.ts";
import type { Plan } from "../src/plan/schema/plan.ts";
import { type Conversion, conversions, shownOptions } from "./k6/conversions.ts";
import { loadDifferences, LOADS, withVerdict } from "./k6/compare_load.ts";
import { inOneOrder, requestDifferences } from "./k6/compare_requests.ts";
import { RecordingServer } from "./k6/recording_server.ts";
import { recordedResponses } from "./k6/recorded_responses.ts";
import { atServer, onlyOnce } from "./k6/prepared_plan.ts";
import { markdownTable } from "./markdown_table.ts";

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
const DATA = fromFileUrl(new URL("../testdata/", import.meta.url));
/** Maximum duration of one run of a tool, in milliseconds. */
const MOST_MS = 120_000;

/** Exit code of `rehearse run` if no request got a response. k6 does not have such an exit code. */
const NO_RESPONSE = 1;

/** Exit code of both tools if a threshold failed. */
const THRESHOLD_FAILED = 99;

/**
 * Settings of the demo shop for comparing the results of thresholds. `fail` is the percentage of
 * failing requests, and `slow` is the additional response time in milliseconds.
 */
const VERDICTS: readonly { readonly name: string; readonly fail: number; readonly slow: number }[] =
  [
    { name: "healthy", fail: 0, slow: 0 },
    { name: "failing", fail: 30, slow: 0 },
    { name: "slow", fail: 0, slow: 500 },
  ];
const THRESHOLDS: Plan["thresholds"] = {
  http_req_duration: ["p(95)<400", "avg<1s", "max<30s"],
  "http_req_duration{name:product}": ["med<400"],
  http_req_failed: ["rate<0.05"],
  "http_req_failed{name:product}": ["rate<0.9"],
  checks: ["rate>0.95"],
  "checks{check:product has a name}": ["rate>0.01"],
  iterations: ["count>=20", "count<20"],
  http_reqs: ["count>30"],
  group_duration: ["p(99)<10s"],
  prices: ["avg>0"],
};

const args = parseArgs(Deno.args, { string: ["k6"], default: { k6: "k6" } });
const folder = await Deno.makeTempDir({ prefix: "k6-export-" });
const failures: string[] = [];

try {
  const version = (await output(args.k6, ["version"])).text.trim();
  console.log(`${version}\n`);
  const files = args._.length > 0 ? args._.map(String) : bundledFiles();
  const rows: string[][] = [];
  for (const [i, file] of files.entries()) {
    Deno.stderr.writeSync(new TextEncoder().encode(`\r${i + 1} of ${files.length} `));
    for (const conversion of conversions(file, folder)) {
      rows.push(await compareFile(file, conversion));
    }
  }
  Deno.stderr.writeSync(new TextEncoder().encode("\r"));
  console.log(markdownTable([["recording", "options", "rehearse", "k6", "result"], ...rows]));
  console.log("\nPlans of a log as converted, with their executors and thresholds:\n");
  console.log(
    markdownTable([["options", "rehearse", "k6", "exit codes", "result"], ...await compareLoads()]),
  );
  console.log("\nThresholds on the demo shop:\n");
  console.log(
    markdownTable([["plan", "threshold", "rehearse", "k6", "result"], ...await compareVerdicts()]),
  );
  console.log(`\n${await compareMix()}`);
} finally {
  await Deno.remove(folder, { recursive: true });
}
for (const failure of failures) console.log(`\n${failure}`);
console.log(`\n${failures.length === 0 ? "all equal" : `${failures.length} with differences`}`);
Deno.exit(failures.length === 0 ? 0 : 1);

/** Returns the paths of the recordings and logs in the repository. */
function bundledFiles(): string[] {
  const list = (path: string, pattern: RegExp) =>
    [...Deno.readDirSync(join(DATA, path))].map(({ name }) => name).filter((name) =>
      pattern.test(name)
    )
      .sort().map((name) => join(DATA, path, name));
  return [
    ...list("har", /\.har$/),
    ...list("har/real", /\.har$/),
    ...list("har/shapes", /\.har$/),
    ...list("har/labelled", /\.har$/),
    ...list("logs", /\.log$/),
    ...list("logs/formats", /\.log$/),
    ...list("logs/samples", /\.log$/),
  ];
}

/** Converts a file, runs the plan with both tools, and returns a row of the table. */
async function compareFile(file: string, conversion: Conversion): Promise<string[]> {
  const isHar = file.endsWith(".har");
  const name = basename(file);
  const { options, isOrdered } = conversion;
  const shown = shownOptions(conversion);
  const planFile = join(folder, "plan.yaml");
  const scriptFile = join(folder, "script.js");
  const convert = ["run", "-A", MAIN, "convert", file, ...options, "-o", planFile];
  const converted = await output(Deno.execPath(), convert);
  if (converted.code !== 0) return [name, shown, "", "", "not convertible"];
  const planText = Deno.readTextFileSync(planFile);
  const { plan } = loadPlan(planText);
  if (plan === undefined) {
    failures.push(`${name}: the converted plan is invalid`);
    return [name, shown, "", "", "invalid plan"];
  }
  await using server = new RecordingServer();
  const prepared = onlyOnce(atServer(plan, server.port));
  const respond = isHar ? await recordedResponses(file) : undefined;
  const send = async (run: () => Promise<void>) => {
    server.received.length = 0;
    if (respond !== undefined) server.respond = respond();
    await run();
    return isOrdered ? [...server.received] : inOneOrder(server.received);
  };
  Deno.writeTextFileSync(planFile, printPlan(prepared, []));
  const { text } = exportK6(prepared, {
    plan: "plan.yaml",
    version: "0",
    filePath: (path) => path,
  });
  Deno.writeTextFileSync(scriptFile, text);
  const env: Record<string, string> = { BASE_URL: `http://127.0.0.1:${server.port}` };
  for (const secret of Object.values(plan.secrets ?? {})) {
    if ("env" in secret) env[secret.env] = "a secret";
  }
  let ownCode = 0;
  const expected = await send(async () => {
    const { code } = await output(Deno.execPath(), [
      "run",
      "-A",
      MAIN,
      "run",
      planFile,
      "--quiet",
      "--base-url",
      env.BASE_URL,
    ], env);
    ownCode = code;
  });
  let complaint = "";
  const actual = await send(async () => {
    const { code, error } = await output(args.k6, ["run", "--quiet", scriptFile], env);
    const isSame = code === ownCode || code === 0 && ownCode === NO_RESPONSE;
    const faults = error.split("\n").filter((line) =>
      line.includes("level=error") && !line.includes("thresholds on metrics")
    );
    if (!isSame) complaint = `exit codes ${ownCode} and ${code}: ${error}`;
    else if (faults.length > 0) complaint = `k6 reported ${faults.join("\n")}`;
  });
  const hasUserAgent = /^\s+["']?user-agent["']?:/im.test(planText);
  const differences = requestDifferences(expected, actual, hasUserAgent);
  if (complaint !== "") differences.push(complaint);
  if (expected.length === 0) differences.push("no requests");
  if (differences.length > 0) {
    failures.push([`${name} ${shown}:`, ...differences.slice(0, 8)].join("\n  "));
  }
  const result = differences.length === 0 ? "equal" : `${differences.length} differences`;
  return [name, shown, String(expected.length), String(actual.length), result];
}

/**
 * Converts a log with several options, runs each plan with both tools, and returns a row for each
 * plan. Before the runs, shortens the pauses of the plan and replaces its thresholds.
 */
async function compareLoads(): Promise<string[][]> {
  const rehearse = (...words: string[]) => output(Deno.execPath(), ["run", "-A", MAIN, ...words]);
  const samples = join(folder, "samples");
  await rehearse("demo", "--sample", samples);
  const [planFile, scriptFile] = [join(folder, "load.yaml"), join(folder, "load.js")];
  const rows: string[][] = [];
  for (const options of LOADS) {
    await using server = new RecordingServer();
    const target = `http://127.0.0.1:${server.port}`;
    const log = join(samples, "access.log");
    await rehearse("convert", log, "--base-url", target, ...options, "-o", planFile);
    const plan = withVerdict((loadPlan(Deno.readTextFileSync(planFile))).plan!);
    Deno.writeTextFileSync(planFile, printPlan(plan, []));
    const { text } = exportK6(plan, { plan: "load.yaml", version: "0", filePath: (path) => path });
    Deno.writeTextFileSync(scriptFile, text);
    const ours = await rehearse("run", planFile, "--quiet");
    const expected = server.received.splice(0);
    const theirs = await output(args.k6, ["run", "--quiet", scriptFile]);
    const differences = loadDifferences(plan, expected, server.received);
    const codes = `${ours.code}, ${theirs.code}`;
    if (ours.code !== THRESHOLD_FAILED || theirs.code !== THRESHOLD_FAILED) {
      differences.push(`exit codes ${codes} instead of ${THRESHOLD_FAILED}`);
    }
    const shown = options.join(" ");
    if (differences.length > 0) failures.push([`${shown}:`, ...differences].join("\n  "));
    const result = differences.length === 0 ? "equal" : "different";
    rows.push([shown, String(expected.length), String(server.received.length), codes, result]);
  }
  return rows;
}

async function compareVerdicts(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name, fail, slow } of VERDICTS) {
    const shop = startDemo({ failPercent: fail, slowMs: slow });
    try {
      const plan: Plan = {
        name,
        defaults: { http: { base_url: shop.origin } },
        scenarios: {
          shop: {
            executor: "shared-iterations",
            vus: 2,
            iterations: 20,
            flow: [
              {
                request: {
                  name: "products",
                  url: "/api/products",
                  extract: [
                    { type: "jsonpath", name: "id", expression: "$.items[0].id" },
                    {
                      type: "jsonpath",
                      name: "price",
                      expression: "$.items[0].price",
                      into: { metric: "prices", type: "gauge" },
                      default: 1,
                    },
                  ],
                  checks: [{ type: "status", equals: 200 }],
                },
              },
              {
                group: {
                  name: "product",
                  steps: [{
                    request: {
                      name: "product",
                      url: "/products/${id}",
                      checks: [{
                        type: "css",
                        name: "product has a name",
                        expression: "h1",
                        exists: true,
                      }],
                    },
                  }],
                },
              },
            ],
          },
        },
        thresholds: { ...THRESHOLDS, prices: ["value>0"] },
      };
      rows.push(...await compareThresholds(name, plan));
    } finally {
      await shop.stop();
    }
  }
  return rows;
}

/** Runs a plan with both tools, and returns a row for each threshold. */
async function compareThresholds(name: string, plan: Plan): Promise<string[][]> {
  const [planFile, scriptFile] = [join(folder, "shop.yaml"), join(folder, "shop.js")];
  const [planSummary, scriptSummary] = [join(folder, "plan.json"), join(folder, "script.json")];
  Deno.writeTextFileSync(planFile, printPlan(plan, []));
  const { text } = exportK6(plan, { plan: "shop.yaml", version: "0", filePath: (path) => path });
  Deno.writeTextFileSync(scriptFile, text);
  const run = ["run", "-A", MAIN, "run", planFile, "--quiet", "--summary-export", planSummary];
  const ours = await output(Deno.execPath(), run);
  const theirs = await output(args.k6, [
    "run",
    "--quiet",
    "--summary-export",
    scriptSummary,
    scriptFile,
  ]);
  const expected = JSON.parse(Deno.readTextFileSync(planSummary)).thresholds as {
    readonly metric: string;
    readonly expression: string;
    readonly passed: boolean;
  }[];
  const metrics = JSON.parse(Deno.readTextFileSync(scriptSummary)).metrics as Record<
    string,
    { readonly thresholds?: Record<string, boolean> }
  >;
  const rows = expected.map(({ metric, expression, passed }) => {
    const inK6 = text.includes("request_failed")
      ? metric.replace("http_req_failed", "request_failed")
      : metric;
    const failed = Object.entries(metrics[inK6]?.thresholds ?? {})
      .find(([key]) =>
        key.replace(/1000\b/, "1s") === expression || key === expression ||
        key === expression.replace("30s", "30000").replace("10s", "10000").replace("1s", "1000")
      )?.[1];
    const verdict = failed === undefined ? "missing" : failed ? "fail" : "pass";
    const own = passed ? "pass" : "fail";
    if (verdict !== own) failures.push(`${name}: ${metric}: ${expression}: ${own} ≠ ${verdict}`);
    return [
      name,
      `${metric}: ${expression}`,
      own,
      verdict,
      verdict === own ? "equal" : "different",
    ];
  });
  if (ours.code !== theirs.code) {
    failures.push(`${name}: exit codes ${ours.code} and ${theirs.code}`);
  }
  rows.push([
    name,
    "exit code",
    String(ours.code),
    String(theirs.code),
    ours.code === theirs.code ? "equal" : "different",
  ]);
  return rows;
}

/**
 * Runs 2,000 iterations of a plan from a log with k6, and tests whether the number of requests to
 * each endpoint matches the weights of the plan (chi-squared test). Returns the result as one line.
 */
async function compareMix(): Promise<string> {
  const log = join(DATA, "logs/apache_combined_10k.log");
  const { text } = await output(Deno.execPath(), [
    "run",
    "-A",
    MAIN,
    "convert",
    log,
    "--top",
    "10",
  ]);
  const plan = (loadPlan(text)).plan!;
  await using server = new RecordingServer();
  const count = 2_000;
  const [name, scenario] = Object.entries(plan.scenarios)[0];
  const repeated: Plan = {
    ...plan,
    scenarios: {
      [name]: { executor: "shared-iterations", vus: 4, iterations: count, flow: scenario.flow },
    },
  };
  const scriptFile = join(folder, "mix.js");
  Deno.writeTextFileSync(
    scriptFile,
    exportK6(repeated, { plan: "mix", version: "0", filePath: (p) => p }).text,
  );
  await output(args.k6, ["run", "--quiet", scriptFile], {
    BASE_URL: `http://127.0.0.1:${server.port}`,
  });
  const choices = scenario.flow[0].random!.choices;
  const total = choices.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const found = Map.groupBy(server.received, ({ target }) => target);
  let chi = 0;
  for (const { weight = 1, steps } of choices) {
    const target = steps[0].request!.url.replace("${vars.id}", "1");
    const wanted = count * weight / total;
    chi += ((found.get(target)?.length ?? 0) - wanted) ** 2 / wanted;
  }
  // 0.999 quantile of the chi-squared distribution with 9 degrees of freedom.
  const limit = 27.88;
  if (!(chi < limit) || server.received.length !== count) {
    failures.push(`mix: χ² = ${chi.toFixed(1)}`);
  }
  return `Mix of a weighted plan, ${count} requests to 10 endpoints: χ² = ${
    chi.toFixed(1)
  } (limit ${limit})`;
}

/** Runs a program and returns its output. */
async function output(
  program: string,
  programArgs: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; text: string; error: string }> {
  const command = new Deno.Command(program, {
    args: [...programArgs],
    env: { NO_COLOR: "1", ...env },
    signal: AbortSignal.timeout(MOST_MS),
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout), error: decoder.decode(stderr) };
}
