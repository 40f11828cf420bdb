import { isMap } from "../base/exact_number.ts";
import { pathOf, type ValuePair } from "../correlation/value_pair.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { follow, type JsonSteps } from "../correlation/propose_json.ts";
import { collectionOf, stems } from "./learnable_pairs.ts";
import type { PlanDraft } from "./draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { isWriteRequest } from "./budget.ts";

/** Maximum depth of the members that are searched for the id of a new object. */
const DEEPEST = 4;

/**
 * Finds the write that created an object whose id is in a list in the response to call `index`.
 * Returns the index of the write if the live response to the write contains no new id for the
 * object, because the response is not as recorded, lacks an id, or contains the recorded id. The
 * same position in the live list may then contain the id of a different object. Returns undefined
 * otherwise. `responseTo` returns the live response to an earlier call, if it was as recorded.
 */
export function findCreator(
  pair: ValuePair,
  index: number,
  draft: PlanDraft,
  recorded: RecordedSide,
  responseTo: (index: number) => ResponseSnapshot | undefined,
): number | undefined {
  const { name, recorded: id } = pair;
  const listed = pathOf(pair);
  if (!listed?.some((step) => typeof step === "number")) return undefined;
  const objects = stems(objectName(listed) ?? collectionAt(index, recorded));
  for (let i = index - 1; i >= 0; i--) {
    if (!draft.areTogether(i, index) || !isWriteRequest(draft.at(i))) continue;
    const step = recorded.at(i);
    const path = step &&
      pathsTo(step.response.view.json, name, id).find((path) =>
        stems(objectName(path) ?? collectionAt(i, recorded)).some((word) => objects.includes(word))
      );
    if (path === undefined) continue;
    const live = responseTo(i);
    const own = live && leafText(follow(live.view.json, path));
    return own === undefined || own === id ? i : undefined;
  }
  return undefined;
}

/** Returns the paths of the members called `name` with the value `id`. Does not search lists. */
function pathsTo(json: unknown, name: string, id: string, path: JsonSteps = []): JsonSteps[] {
  if (!isMap(json) || path.length === DEEPEST) return [];
  return Object.entries(json).flatMap(([key, value]) => {
    const at = [...path, key];
    return key === name && leafText(value) === id ? [at] : pathsTo(value, name, id, at);
  });
}

/** Returns the name of the innermost object or list that contains the member at `path`. */
function objectName(path: JsonSteps): string | undefined {
  return path.slice(0, -1).findLast((step) => typeof step === "string");
}

function collectionAt(index: number, recorded: RecordedSide): string {
  const step = recorded.at(index);
  return step === undefined ? "" : collectionOf(step.exchange.request.url);
}
