import { fromFileUrl } from "@std/path";
import { convertHar } from "../../src/convert/from_har.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { RecordedCall } from "../../src/traffic/session/recorded_call.ts";
import { evaluatePlan } from "./evaluate_plan.ts";
import { callsOf, fieldsByPlace, type FreshLabel, labelsOf } from "./fresh_label.ts";

/** Folder of the recordings of model applications. */
const MODELS = new URL("../../testdata/har/models/", import.meta.url);

/** One session with a model application, recorded on three servers that differ in their values. */
export interface ModelRecordings {
  readonly name: string;
  readonly recorded: Recording;
  readonly fresh: Recording;
  readonly third: Recording;
}

/** Reads the recordings of the model applications, sorted by name. */
export function readModels(): Promise<ModelRecordings[]> {
  const names = [...Deno.readDirSync(MODELS)].map(({ name }) => name).sort();
  return Promise.all(names.map(async (name) => {
    const [recorded, fresh, third] = await Promise.all(
      ["recorded", "fresh", "third"].map((server) => {
        const path = fromFileUrl(new URL(`${name}/${server}.har`, MODELS));
        return readHar([Deno.readFileSync(path)], path);
      }),
    );
    return { name, recorded, fresh, third };
  }));
}

/** A recorded session with its labels, and the same session on a fresh server. */
export interface LabelledModel {
  readonly name: string;
  readonly recording: Recording;
  readonly fresh: readonly RecordedCall[];
  readonly labels: readonly FreshLabel[];
}

/** Returns the sessions with the model applications, with the labels of their values. */
export async function labelledModels(): Promise<LabelledModel[]> {
  return (await readModels()).map(({ name, recorded, fresh }) => {
    const calls = callsOf(fresh);
    return { name, recording: recorded, fresh: calls, labels: labelsOf(callsOf(recorded), calls) };
  });
}

/** Score of a plan, as counts of labelled values. */
export interface ModelScore {
  readonly name: string;
  /** Number of values that differ on a fresh server. */
  dynamic: number;
  /** Number of dynamic values that the plan sends to the fresh server as a browser would. */
  right: number;
  /** Number of dynamic values for which the plan sends the recorded value in at least one place. */
  stale: number;
  /** Number of values, dynamic or constant, that the plan replaces with a wrong value. */
  wrong: number;
  /**
   * Number of constants (values that are equal on a fresh server) that the plan extracts
   * needlessly, but sends correctly.
   */
  needless: number;
  /** One line for each value that does not count as right. */
  readonly faults: string[];
}

/**
 * Converts a recording, and compares what the plan sends to a fresh server with what a browser
 * sends to it.
 */
export function scoreModel(
  { name, recording, fresh, labels }: LabelledModel,
  jsonOnly: boolean,
): ModelScore {
  const { plan } = convertHar(recording, { jsonOnly });
  const sent = evaluatePlan(plan, fresh);
  const score = {
    name,
    dynamic: 0,
    right: 0,
    stale: 0,
    wrong: 0,
    needless: 0,
    faults: [] as string[],
  };
  const recorded = callsOf(recording);
  const byEntry = new Map(recorded.map((call, i) => [call.exchange.index, i]));
  for (const label of labels) {
    const results = label.uses.map(({ entry, where }): Result => {
      const i = byEntry.get(entry)!;
      const wanted = fieldsByPlace(fresh[i]).get(where)!.value;
      const actual = fieldsByPlace(sent[i]).get(where)?.value;
      const reference = fieldsByPlace(sent[i].references).get(where)?.value ?? "";
      if (actual === wanted) return reference.includes("\u2039") ? "extracted" : "equal";
      return actual === fieldsByPlace(recorded[i]).get(where)!.value ? "stale" : "wrong";
    });
    const isDynamic = label.value !== label.fresh;
    if (isDynamic) score.dynamic++;
    const result = (["wrong", "stale", "extracted"] as const).find((one) => results.includes(one));
    if (result === "wrong" || result === "stale") score[result]++;
    else if (isDynamic) score.right++;
    else if (result === "extracted") score.needless++;
    if (result === undefined || (result === "extracted" && isDynamic)) continue;
    const uses = label.uses.map(({ entry, where }, i) => `${entry} ${where} ${results[i]}`);
    score.faults.push(
      `${result}: ${short(label.value)} (${short(label.fresh)}) in ${uses.join(", ")}`,
    );
  }
  return score;
}

function short(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

/**
 * Result of comparing a field that a plan sends with the expected value:
 *
 * - `extracted`: equal, and the field contains a variable.
 * - `equal`: equal without a variable.
 * - `stale`: still the recorded value.
 * - `wrong`: any other value.
 */
type Result = "extracted" | "equal" | "stale" | "wrong";

/** Returns the precision and the recall over all scores. A needless extraction counts as wrong. */
export function precisionAndRecall(scores: readonly ModelScore[]): [number, number] {
  const sum = (key: "dynamic" | "right" | "wrong" | "needless") =>
    scores.reduce((all, score) => all + score[key], 0);
  const right = sum("right");
  return [right / (right + sum("wrong") + sum("needless")), right / sum("dynamic")];
}
