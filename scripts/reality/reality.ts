/**
 * Tests converted plans with third-party applications: records a session in a browser, makes plans
 * from it, runs each plan on a fresh application with 2 users and 2 iterations each, and compares
 * every response with the recording.
 *
 *     deno run --frozen -A scripts/reality/reality.ts [NAME…] [--keep FOLDER] [--plans KIND,…]
 *     deno run --frozen -A scripts/reality/reality.ts --keep FOLDER --report
 *
 * Needs Debian packages, Chromium, npm, Python and Java. Everything runs on 127.0.0.1 and in
 * temporary folders that are removed at the end. The environment variable REALITY_CACHE specifies a
 * folder in which installed applications remain for the next run. `--keep` keeps the recordings,
 * plans and results in FOLDER; if it already contains the recording of an application, the session
 * is not recorded again. `--report` prints the tables of the results in FOLDER without measuring.
 */
import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import type { Application } from "./application.ts";
import { APPLICATIONS, findApplication } from "./applications.ts";
import { keepResult, keptResults } from "./kept_results.ts";
import { measure, type Measured } from "./measure.ts";
import { freePorts, installed, onFreshData } from "./place.ts";
import { PLAN_KINDS } from "./plan_kinds.ts";
import { failures, forecastTable, isPerfect, overviewTable, resultsTable } from "./results.ts";
import { runTool } from "./service.ts";
import { ROOT } from "./tool.ts";

const { _: names, keep, plans, report } = parseArgs(Deno.args, {
  string: ["keep", "plans"],
  boolean: ["report"],
});
const kinds = PLAN_KINDS.filter(({ name }) => plans?.split(",").includes(name) ?? true);
const selected = names.length === 0
  ? APPLICATIONS
  : names.map((name: unknown) => findApplication(String(name)));
const temporary = Deno.makeTempDirSync({ prefix: "reality-" });
const folder = keep ?? temporary;
const measured: Measured[] = [];
const broken: string[] = [];
try {
  Deno.mkdirSync(folder, { recursive: true });
  for (const application of selected) {
    if (report) measured.push(...keptResults(folder, application, kinds));
    else await testApplication(application);
  }
} finally {
  Deno.removeSync(temporary, { recursive: true });
}
console.log(`\n${overviewTable(measured)}\n\n${forecastTable(measured)}`);
for (const reason of broken) console.log(`\n${reason}`);
const best = [...Map.groupBy(measured, ({ application }) => application).values()];
Deno.exit(broken.length === 0 && best.every((results) => isPerfect(results.at(-1)!)) ? 0 : 1);

/**
 * Measures the plans of an application. If one cannot be measured, records the reason and skips the
 * rest.
 */
async function testApplication(application: Application): Promise<void> {
  try {
    for await (const result of measurePlans(application)) {
      measured.push(result);
      keepResult(folder, result);
      console.log(`\n## ${application.name}, ${result.kind}\n`);
      console.log(`${resultsTable([result])}\n\n${failures(result).join("\n")}`);
    }
  } catch (error) {
    broken.push(`${application.name} was not measured: ${error}`);
    console.log(`\n${broken.at(-1)}`);
  }
}

async function* measurePlans(application: Application): AsyncGenerator<Measured> {
  const har = join(folder, `${application.name}.har`);
  const programs = await installed(application, temporary);
  const at = {
    installed: programs,
    port: recordedPort(har) ?? freePorts(application.ports ?? 1),
  };
  if (recordedPort(har) === undefined) await record(application, har, at);
  for (const kind of kinds) yield await measure(application, kind, har, at, folder);
}

async function record(
  application: Application,
  har: string,
  at: { readonly installed: string; readonly port: number },
): Promise<void> {
  await onFreshData(application, at, async ({ data }, { counts }) => {
    const before = await counts();
    const script = join(ROOT, "scripts/reality/record.ts");
    const place = [application.name, at.installed, data, String(at.port), har];
    await runTool(Deno.execPath(), ["run", "--no-lock", "-A", script, ...place]);
    const after = await counts();
    for (const [what, count] of Object.entries(application.adds)) {
      const added = after[what] - before[what];
      if (added === count) continue;
      throw new Error(
        `${application.name}: the session added ${added} ${what}, not ${count}`,
      );
    }
  });
}

/** Returns the port of the first call in a recording, or undefined if the file does not exist. */
function recordedPort(har: string): number | undefined {
  try {
    const { log } = JSON.parse(Deno.readTextFileSync(har));
    return Number(new URL(log.entries[0].request.url).port);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
