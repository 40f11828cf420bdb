import type { NamelessExtractor } from "../../extract/compile_now.ts";
import type { Condition } from "../../plan/kinds/conditions/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { RecordedResponse } from "../../traffic/har/recording.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { eventTest, recordedTaker } from "../../traffic/session/event_condition.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import { childPath } from "./message_condition.ts";

/** Maximum number of objects that enclose a member that states the progress of a job. */
const MAX_DEPTH = 3;
/** Last words of the names of members whose text states the progress of a job. */
const STATE = new Set(["status", "state", "phase", "stage"]);
/** Last words of the names of booleans that become true when a job ends. */
const ENDED = new Set(["done", "ready", "finished", "complete", "completed", "ended"]);
/** Last words of the names of booleans that become false when a job ends. */
const ACTIVE = new Set(["running", "pending", "processing", "busy", "progress", "queued"]);
/** Last words of the names of numbers that become 100 when a job ends. */
const PERCENT = new Set(["progress", "percent", "percentage", "pct"]);
const PLAIN = /^[A-Za-z][A-Za-z _-]{0,39}$/;
/** States of a job that has not ended, in lowercase and without separators. */
const WORKING = new Set([
  ...["pending", "queued", "waiting", "scheduled", "submitted", "accepted", "new", "created"],
  ...["started", "starting", "running", "active", "working", "processing", "inprogress"],
  ...["initializing", "preparing", "loading", "building", "importing", "exporting", "uploading"],
  ...["converting", "rendering", "provisioning", "deploying", "incomplete", "inqueue"],
]);
/** States of a job that has ended, in lowercase and without separators. */
const FINAL = new Set([
  ...["done", "complete", "completed", "finished", "success", "successful", "succeeded", "ready"],
  ...["ended", "available", "imported", "exported", "built", "deployed", "provisioned"],
]);

/**
 * Returns a condition that is true for the last of several responses to the same request, and false
 * for all earlier ones, if these responses look like the progress of a job that ends. The condition
 * tests a state such as `status`, the status code after 202, or a member that one of `extract`, the
 * extractors for the last response, reads. Returns undefined if there is no such condition.
 */
export function pollCondition(
  earlier: readonly RecordedResponse[],
  last: RecordedResponse,
  extract: readonly Extractor[],
): Condition | undefined {
  if (![...earlier, last].every(({ status }) => status >= 200 && status < 300)) return undefined;
  if (last.status !== 202 && earlier.every(({ status }) => status === 202)) {
    return { type: "status", equals: last.status };
  }
  if (earlier.some(({ status }) => status !== last.status)) return undefined;
  const value = readObject(last);
  const before = earlier.map(readObject);
  if (value === undefined || before.includes(undefined)) return undefined;
  const conditions = [
    ...stateConditions(value, before as JsonObject[], "$", 0),
    ...extract.flatMap(existsCondition),
  ];
  return conditions.find((condition) => {
    const meets = eventTest(condition);
    return meets !== undefined && meets(last.text!) && !earlier.some(({ text }) => meets(text!));
  });
}

type JsonObject = Readonly<Record<string, unknown>>;

function readObject({ text }: RecordedResponse): JsonObject | undefined {
  if (text === undefined) return undefined;
  const value = recordedTaker({ type: "jsonpath", expression: "$" } satisfies NamelessExtractor)(
    new RecordedView({ headers: [], text }),
  );
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Yields conditions on members of `value` that state that a job has ended, outermost first. */
function* stateConditions(
  value: JsonObject,
  before: readonly (JsonObject | undefined)[],
  path: string,
  depth: number,
): Generator<Condition> {
  for (const [name, member] of Object.entries(value)) {
    const earlier = before.map((one) => one?.[name]);
    if (isEnd(nameWords(name).at(-1) ?? "", earlier, member)) {
      const equals = member as string | boolean | number;
      yield { type: "jsonpath", expression: childPath(path, name), equals };
    }
  }
  if (depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    if (!isObject(member)) continue;
    const earlier = before.map((one) => one?.[name]).map((one) => isObject(one) ? one : undefined);
    yield* stateConditions(member, earlier, childPath(path, name), depth + 1);
  }
}

/**
 * Reports whether a member shows that a job has ended. `word` is the last word of its name, and
 * `earlier` contains its values in the earlier responses.
 */
function isEnd(word: string, earlier: readonly unknown[], last: unknown): boolean {
  if (typeof last === "boolean") {
    return earlier.every((one) => one === !last) && (last ? ENDED : ACTIVE).has(word);
  }
  if (typeof last === "number") {
    return last === 100 && PERCENT.has(word) &&
      earlier.every((one) => typeof one === "number" && one >= 0 && one < 100);
  }
  if (typeof last !== "string" || !PLAIN.test(last) || WORKING.has(stateWord(last))) return false;
  if (!earlier.every((one) => typeof one === "string" && PLAIN.test(one) && one !== last)) {
    return false;
  }
  const areWorking = earlier.every((one) => WORKING.has(stateWord(one as string)));
  const isFinal = FINAL.has(stateWord(last));
  return STATE.has(word) ? areWorking || isFinal : areWorking && isFinal;
}

function stateWord(text: string): string {
  return text.toLowerCase().replace(/[ _-]/g, "");
}

/**
 * Returns a condition that requires the value of an extractor to exist, or an empty list if the
 * extractor is not a JSONPath.
 */
function existsCondition(extractor: Extractor): Condition[] {
  return extractor.type === "jsonpath"
    ? [{ type: "jsonpath", expression: extractor.expression, exists: true }]
    : [];
}
