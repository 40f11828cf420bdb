import type { Plan } from "../../plan/schema/plan.ts";
import { findPause } from "../../verify/calibrate/insert_pauses.ts";
import type { NeededPause } from "../../verify/calibrate/needed_pause.ts";

const COMMENT =
  "# calibrate: keep this recorded pause; without it, the next response was not as recorded.";

/**
 * Maximum length, in UTF-16 units, of the text of a plan to which comments are added. The syntax
 * tree of a longer text needs too much memory.
 */
const MAX_TEXT = 2_000_000;

/**
 * Adds comments to `text`, the text of `plan`: one above each pause in `pauses`. Adds none to a
 * pause that shares its line with other steps.
 */
export async function withPauseComments(
  text: string,
  plan: Plan,
  pauses: readonly NeededPause[],
): Promise<string> {
  if (pauses.length === 0 || text.length > MAX_TEXT) return text;
  const { parseTree } = await import("../../plan/source/parse_tree.ts");
  const tree = parseTree(text, false);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const starts = pauses.flatMap(({ index }) => {
    const path = findPause(plan, index);
    const node = path === undefined ? undefined : tree.getIn(path, true);
    return isPlaced(node) ? [text.lastIndexOf("\n", node.range[0]) + 1] : [];
  });
  return starts.sort((a, b) => b - a).reduce((commented, start) => {
    const indent = /^ *(?=- )/.exec(text.slice(start))?.[0];
    if (indent === undefined || text.slice(0, start).trimEnd().endsWith(COMMENT)) return commented;
    return commented.slice(0, start) + indent + COMMENT + newline + commented.slice(start);
  }, text);
}

function isPlaced(node: unknown): node is { readonly range: readonly number[] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}
