import { isMap } from "../base/exact_number.ts";
import { leafText } from "../traffic/session/json_tree.ts";
import type { CallOutcome } from "./call_outcome.ts";
import type { CallVerdict } from "./call_verdict.ts";
import { contentShape } from "../outcome/text_content.ts";
import { follow, type JsonSteps } from "../correlation/propose_json.ts";
import { holdsLiteral } from "./literal_edit.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";

/** Maximum number of values from a list that are searched for in later requests. */
const MOST_VALUES = 1_000;
/**
 * Minimum length of a value to search for, in UTF-16 code units. Shorter values, such as years, may
 * be constants.
 */
const SHORTEST = 5;
/** Maximum length of a value to search for, in UTF-16 code units. */
const LONGEST = 200;

/**
 * Returns the verdict `state` (the application's data is not as recorded) if a list in the live
 * response to call `index` is empty, but a later request of the plan sends a value that it can only
 * have from the recorded list. This is the case if no other recorded response before that request
 * contains the value. Returns undefined if there is no such list, or if the list is empty in
 * another recorded response to the same request.
 */
export function judgeLostValues(
  index: number,
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
  recorded: RecordedSide,
): CallVerdict | undefined {
  for (const { index: own, user, iteration, content } of outcomes) {
    if (own !== index) continue;
    for (const { kind, path, place, recorded: items } of content?.differences ?? []) {
      if (kind !== "empty list" || path === undefined) continue;
      const sent = findSentValue(index, path, draft, recorded);
      if (sent === undefined) continue;
      const difference = `\`${place}\` is empty, but contains ${items} in the recording, and ` +
        `call ${sent + 1} sends a value from it`;
      return { index, kind: "state", user, iteration, differences: [difference] };
    }
  }
  return undefined;
}

/**
 * Returns the index of the first later request that must take one of its values from the list at
 * `path` in the recorded response to call `index`: no request up to call `index` sends the value,
 * and no other recorded response before the later request contains it.
 */
function findSentValue(
  index: number,
  path: JsonSteps,
  draft: PlanDraft,
  recorded: RecordedSide,
): number | undefined {
  const step = recorded.at(index);
  const list = step && follow(step.response.view.json, path);
  if (list === undefined || isEmptyElsewhere(index, path, recorded)) return undefined;
  const values = generatedValuesIn(list).filter((value) => !recorded.isSentUpTo(index, value));
  return draft.later(index).find((later) =>
    values.some((value) =>
      holdsLiteral(draft.at(later), { value, agrees: undefined }) &&
      !recorded.indexes.some((other) =>
        other !== index && other < later && recorded.isReceivedIn(other, value)
      )
    )
  );
}

/** Reports whether another recorded response to the same request has no items at `path`. */
function isEmptyElsewhere(index: number, path: JsonSteps, recorded: RecordedSide): boolean {
  return recorded.alike(index).some(({ view }) => {
    const list = follow(view.json, path);
    return Array.isArray(list) ? list.length === 0 : isMap(list) && Object.keys(list).length === 0;
  });
}

/**
 * Returns the generated strings and numbers in a value. They are unlikely to occur elsewhere by
 * chance.
 */
function generatedValuesIn(value: unknown): string[] {
  const found = new Set<string>();
  // An explicit stack: JSON may be nested too deeply for recursion.
  const open = [value];
  while (open.length > 0 && found.size < MOST_VALUES) {
    const node = open.pop();
    if (Array.isArray(node) || isMap(node)) {
      const inner = Array.isArray(node) ? node : Object.entries(node).flat();
      for (let i = inner.length - 1; i >= 0; i--) open.push(inner[i]);
      continue;
    }
    const text = leafText(node);
    const isLong = text !== undefined && text.length >= SHORTEST && text.length <= LONGEST;
    if (isLong && contentShape(text) === "#") found.add(text);
  }
  return [...found];
}
