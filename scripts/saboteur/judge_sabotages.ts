import { random } from "../../src/base/random.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { mapLeaves } from "../../src/traffic/session/body_fields.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { aimPlan } from "../../src/calibrate/aimed_plan.ts";
import { calibratePlan } from "../../src/calibrate/calibrate_plan.ts";
import { MARK, markRequests } from "../../src/verify/plan_requests.ts";
import { verifyPlan } from "../../src/verify/verify_plan.ts";
import { markdownTable } from "../markdown_table.ts";
import { breakPlan, type Sabotage, WAYS } from "./break_plan.ts";
import { type Alter, bystanders } from "./bystanders.ts";
import { RecordedApplication } from "./recorded_application.ts";

/** What a command says about a broken plan. */
export interface Judged {
  readonly recording: string;
  readonly way: Sabotage["way"] | "nothing broken";
  readonly what: string;
  readonly command: "verify" | "calibrate";
  readonly verdict: string;
  /** True if the verdict promises that the plan works. */
  readonly isPromise: boolean;
  /**
   * True if the plan (the resulting plan of `calibrate`) sends the same writes as the right plan.
   */
  readonly isRight: boolean;
  /** True if the promise is false. */
  readonly isFalse: boolean;
  /** The broken plan. */
  readonly plan: Plan | undefined;
}

/** Options of `sampledSabotages`. */
export interface SampleOptions {
  readonly seed: number;
  /** Maximum number of broken plans. */
  readonly most: number;
}

/** Returns the unbroken plan, and a random sample of its broken plans. */
export function sampledSabotages(
  plan: Plan,
  recording: Recording,
  { seed, most }: SampleOptions,
): (Omit<Sabotage, "way"> & Pick<Judged, "way">)[] {
  const chance = random(seed, 7);
  const broken = breakPlan(plan, recording, seed)
    .map((one) => [chance.next(), one] as const).sort(([a], [b]) => a - b)
    .map(([, one]) => one).slice(0, most);
  return [{ way: "nothing broken", what: "", plan }, ...broken];
}

const OPTIONS = { readFile: () => new Uint8Array(), readEnv: () => "secret" };

/**
 * Converts a recording, breaks the plan, and yields what `verify` and `calibrate` say about each
 * broken plan. The first results are those of the plan without a change.
 */
export async function* judgeSabotages(
  name: string,
  recording: Recording,
  options: SampleOptions,
): AsyncGenerator<Judged> {
  const { plan } = convertHar(recording, {});
  const application = await RecordedApplication.create(recording, plan);
  for (const one of sampledSabotages(plan, recording, options)) {
    const base = { recording: name, way: one.way, what: one.what };
    for (const [command, judge] of Object.entries(COMMANDS)) {
      const found = one.plan && await judge(one.plan, recording, application);
      const verdict = found?.verdict ?? "not a valid plan";
      const isPromise = found?.isPromise ?? false;
      const result = found?.plan ?? one.plan;
      const right = result !== undefined && await application.isRight(result);
      yield {
        ...base,
        command: command as Judged["command"],
        verdict,
        isPromise,
        isRight: right,
        isFalse: isPromise && !right,
        plan: one.plan,
      };
    }
  }
}

/**
 * What `calibrate` says about a right plan, and a change of the application that must not matter.
 */
export interface JudgedBystander extends Found {
  readonly recording: string;
  readonly change: string;
  readonly isRight: boolean;
  /** True if the verdict is wrong: right plans must be proven, and only these. */
  readonly isFalse: boolean;
}

/**
 * Converts a recording, and yields what `calibrate` says about the plan if the application has
 * changed in ways that must not matter.
 */
export async function* judgeBystanders(
  name: string,
  recording: Recording,
): AsyncGenerator<JudgedBystander> {
  const { plan } = convertHar(recording, {});
  const changes = new Map<string, Alter>([["nothing", (text) => text], ...bystanders(recording)]);
  for (const [change, alter] of changes) {
    const application = await RecordedApplication.create(recording, plan, alter);
    const found = await calibrate(plan, recording, application);
    const isRight = await application.isRight(found.plan);
    yield { recording: name, change, ...found, isRight, isFalse: found.isPromise !== isRight };
  }
}

interface Found {
  readonly verdict: string;
  readonly isPromise: boolean;
  readonly plan: Plan;
}

const COMMANDS = { verify, calibrate };

export async function verify(plan: Plan, recording: Recording): Promise<Found> {
  const { verdict } = await verifyPlan(plan, recording, { users: 1, iterations: 1, ...OPTIONS });
  return { verdict, isPromise: verdict === "consistent" || verdict === "unproven", plan };
}

export async function calibrate(
  plan: Plan,
  recording: Recording,
  application: RecordedApplication,
): Promise<Found> {
  const { plan: marked } = markRequests(plan);
  const result = await calibratePlan(aimPlan(marked, recording, undefined, "har"), recording, {
    ...OPTIONS,
    sender: application.open(plan).sender,
    isAllowed: () => true,
    sleep: () => Promise.resolve(),
    now: () => Date.now(),
  });
  const { proven, calls } = result.calibration;
  const bad = calls.filter(({ kind }) => kind !== "as recorded" && kind !== "repaired");
  const kinds = [...Map.groupBy(bad, ({ kind }) => kind)]
    .map(([kind, list]) => `${list.length} ${kind}`).join(", ");
  return {
    verdict: proven ? "proven" : `not proven (${kinds})`,
    isPromise: proven,
    plan: withoutMarks(result.plan),
  };
}

function withoutMarks(plan: Plan): Plan {
  const copy = mapLeaves(plan, (leaf) => leaf) as Plan;
  JSON.stringify(copy, (_, value) => {
    if (typeof value === "object" && value !== null && MARK in value) delete value[MARK];
    return value;
  });
  return copy;
}

/** Renders the number of verdicts by way, and how many of them were false. */
export function tableOf(judged: readonly Judged[]): string {
  const rows = [...WAYS, "nothing broken" as const].flatMap((way) =>
    ["verify", "calibrate"].flatMap((command) => {
      const own = judged.filter((one) => one.way === way && one.command === command);
      const count = (isOne: (one: Judged) => boolean) => String(own.filter(isOne).length);
      return own.length === 0 ? [] : [[
        way,
        command,
        String(own.length),
        count(({ isPromise }) => !isPromise),
        count(({ isPromise, isRight }) => isPromise && isRight),
        count(({ isFalse }) => isFalse),
      ]];
    })
  );
  const head = ["way", "command", "plans", "refused", "promised, right", "promised, false"];
  return markdownTable([head, ...rows]);
}

/** Renders the number of verdicts by change. */
export function bystanderTable(judged: readonly JudgedBystander[]): string {
  const rows = [...Map.groupBy(judged, ({ change }) => change)].map(([change, own]) => {
    const count = (isOne: (one: JudgedBystander) => boolean) => String(own.filter(isOne).length);
    return [
      change,
      String(own.length),
      count(({ isFalse, isPromise }) => isPromise && !isFalse),
      count(({ isFalse, isPromise }) => !isPromise && !isFalse),
      count(({ isFalse, isPromise }) => isFalse && !isPromise),
      count(({ isFalse, isPromise }) => isFalse && isPromise),
    ];
  });
  const head = ["change", "plans", "proven", "refused, wrong plan", "false alarms", "false proven"];
  return markdownTable([head, ...rows]);
}
