import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes a JSONPath for a value that is a leaf of a JSON response. */
export function* memberExtractors(value: string, { response }: Exchange): Generator<Proposal> {
  const { text, mimeType, payload } = response;
  if (text === undefined) return;
  const path = pathTo(value, parseJsonResponse(text, mimeType, payload));
  if (path === undefined) return;
  const name = path.findLast((step) => typeof step === "string") ?? "";
  yield {
    name: String(name),
    extractor: { type: "jsonpath", expression: `$${path.map(formatStep).join("")}` },
  };
}

/**
 * Returns the JSONPath of the first leaf with the text `value` in a member named `name`. Returns
 * undefined if no leaf matches.
 */
export function memberPath(value: string, json: unknown, name: string): string | undefined {
  const path = pathTo(value, json, name);
  return path && `$${path.map(formatStep).join("")}`;
}

/**
 * Returns the path to the first leaf with the text `value`. If `name` is given, the leaf must be in
 * a member with that name. Returns undefined if no leaf matches.
 */
function pathTo(value: string, json: unknown, name?: string): (string | number)[] | undefined {
  const stack: { readonly node: unknown; readonly path: readonly (string | number)[] }[] = [
    { node: json, path: [] },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, path } = top;
    const isNamed = name === undefined || path.at(-1) === name;
    if (isNamed && leafText(node) === value) return [...path];
    if (typeof node !== "object" || node === null) continue;
    const members: [string | number, unknown][] = Array.isArray(node)
      ? node.map((item, i) => [i, item])
      : Object.entries(node);
    for (const [step, member] of members.reverse()) {
      stack.push({ node: member, path: [...path, step] });
    }
  }
  return undefined;
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) return `.${step}`;
  return `['${step.replace(/['\\]/g, "\\$&")}']`;
}
