import type { Plan } from "../../plan/schema/plan.ts";
import { parseTree } from "../../plan/source/parse_tree.ts";
import { findPause } from "../../calibrate/flow_edits.ts";
import type { NeededPause } from "../../calibrate/pause_trial.ts";

const NEEDED =
  "# calibrate: keep this recorded pause; without it, the next response differed from the recording.";
const POSSIBLE =
  "# calibrate: kept this recorded pause as a precaution; once, without it, the next response differed from the recording.";

/**
 * Maximum length of a plan to which comments can be added, in UTF-16 code units. The syntax tree of
 * a longer plan needs too much memory.
 */
const MAX_TEXT = 2_000_000;

/**
 * Adds a comment above each pause in `pauses` and `possible`. `text` is the text of `plan`. The
 * comment states that a pause is needed (`pauses`) or was kept as a precaution (`possible`). Adds
 * no comment to a pause that shares its line with other steps.
 */
export function withPauseComments(
  text: string,
  plan: Plan,
  pauses: readonly NeededPause[],
  possible: readonly NeededPause[] = [],
): string {
  const all = [...pauses, ...possible];
  if (all.length === 0 || text.length > MAX_TEXT) return text;
  const tree = parseTree(text, false);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const places = all.flatMap((pause) => {
    const path = findPause(plan, pause.index);
    const node = path === undefined ? undefined : tree.getIn(path, true);
    if (!isPlaced(node)) return [];
    const start = text.lastIndexOf("\n", node.range[0]) + 1;
    return [{ start, comment: pauses.includes(pause) ? NEEDED : POSSIBLE }];
  });
  return places.sort((a, b) => b.start - a.start).reduce((commented, { start, comment }) => {
    const indent = /^ *(?=- )/.exec(text.slice(start))?.[0];
    const above = text.slice(0, start).trimEnd();
    if (indent === undefined || above.endsWith(NEEDED) || above.endsWith(POSSIBLE)) {
      return commented;
    }
    return commented.slice(0, start) + indent + comment + newline + commented.slice(start);
  }, text);
}

function isPlaced(node: unknown): node is { readonly range: readonly number[] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}
