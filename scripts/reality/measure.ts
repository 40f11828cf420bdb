import { fileChunks } from "../../src/base/bytes/byte_source.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import type { Application } from "./application.ts";
import { type Forecast, forecast } from "./forecast.ts";
import { logInPerVu } from "./log_in_per_vu.ts";
import { onFreshData } from "./place.ts";
import type { PlanKind } from "./plan_kinds.ts";
import { type LiveCall, runLive } from "./run_live.ts";
import { checkedOutCommit, rehearse } from "./tool.ts";

/** The load of each measured plan. */
export const LOAD = { users: 2, iterations: 2 } as const;

/** The results of one plan on one application. */
export interface Measured {
  /** Name of the application. */
  readonly application: string;
  /** Name of the plan kind. */
  readonly kind: string;
  /** Name of the checked-out commit, such as its abbreviated hash. */
  readonly commit: string;
  /** The recorded calls that the plan sends. */
  readonly recorded: readonly RecordedCall[];
  readonly forecast: Forecast;
  readonly live: readonly LiveCall[];
  /** Number of items that the run added to the application, by kind. */
  readonly added: Readonly<Record<string, number>>;
}

/** A recorded call that a plan sends. */
export interface RecordedCall {
  /** Index of the call's entry in the recording, from 0. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
}

/**
 * Makes a plan from the recording at `har`, verifies it, and runs it on a fresh application. Writes
 * the plan to `folder`.
 */
export async function measure(
  application: Application,
  kind: PlanKind,
  har: string,
  at: { readonly installed: string; readonly port: number },
  folder: string,
): Promise<Measured> {
  const path = `${folder}/${application.name}.${kind.name}.yaml`;
  const converted = await rehearse(["convert", har, "-o", path]);
  if (converted.code !== 0) throw new Error(`convert failed: ${converted.errors}`);
  const plan = logInPerVu(readPlan(path), application.user);
  Deno.writeTextFileSync(path, printPlan(plan, []));
  if (kind.isCalibrated) await calibrate(application, plan, { path, har }, at);
  const recorded = await recordedCalls(har);
  const found = await forecast(path, har, LOAD);
  return await onFreshData(application, at, async (_, { counts }) => {
    const before = await counts();
    const live = await runLive(readPlan(path), LOAD, recorded);
    const after = await counts();
    const added = Object.entries(after).map(([what, count]) => [what, count - before[what]]);
    return {
      application: application.name,
      kind: kind.name,
      commit: await checkedOutCommit(),
      recorded: recorded.map(({ index, request: { method, url } }) => ({ index, method, url })),
      forecast: found,
      live,
      added: Object.fromEntries(added),
    };
  });
}

/**
 * Calibrates the plan at `path`. If `calibrate` cannot prove that the resulting plan works,
 * calibrates that plan once more. Writes the reports next to the plan.
 */
async function calibrate(
  application: Application,
  plan: Plan,
  files: { readonly path: string; readonly har: string },
  at: { readonly installed: string; readonly port: number },
): Promise<void> {
  const first = await calibrateOnce(application, plan, files, at);
  const more = first.isProven ? "" : (await calibrateOnce(application, plan, files, at)).report;
  Deno.writeTextFileSync(files.path.replace(/yaml$/, "txt"), first.report + more);
}

/** Calibrates the plan at `path` on a fresh application. */
async function calibrateOnce(
  application: Application,
  plan: Plan,
  { path, har }: { readonly path: string; readonly har: string },
  at: { readonly installed: string; readonly port: number },
): Promise<{ readonly isProven: boolean; readonly report: string }> {
  const { code, output, errors } = await onFreshData(application, at, () => {
    const target = ["--base-url", plan.defaults!.http!.base_url!, "--yes"];
    return rehearse(["calibrate", path, "--har", har, ...target, "-o", path]);
  });
  if (code > 1 || errors.includes("internal error")) throw new Error(`calibrate failed: ${errors}`);
  return { isProven: code === 0, report: output + errors };
}

function readPlan(path: string): Plan {
  const { plan, diagnostics } = loadPlan(Deno.readTextFileSync(path));
  if (plan === undefined) throw new Error(`${path}: ${JSON.stringify(diagnostics)}`);
  return plan;
}

async function recordedCalls(har: string): Promise<readonly Exchange[]> {
  using file = Deno.openSync(har);
  const { exchanges } = await readHar(fileChunks(file), har);
  return keptCalls(exchanges, undefined).exchanges;
}
