import { isMap } from "../../base/exact_number.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";

const cache = new WeakMap<RecordedCall, ReadonlyMap<RequestField, readonly string[]>>();

/**
 * Returns the names of the members that contain a field in the JSON body of a call, from the outermost
 * to the innermost, without the field's own name. Empty for a field elsewhere in the request.
 */
export function enclosingNames(call: RecordedCall, field: RequestField): readonly string[] {
  if (field.kind !== "json" || call.body?.kind !== "json") return [];
  let names = cache.get(call);
  if (names === undefined) {
    const found = new Map<RequestField, readonly string[]>();
    collect(call.body.tree, [], found);
    cache.set(call, names = found);
  }
  return names.get(field)?.slice(0, -1) ?? [];
}

function collect(
  node: unknown,
  path: readonly string[],
  found: Map<RequestField, readonly string[]>,
): void {
  if (node instanceof RequestField) found.set(node, path);
  else if (Array.isArray(node)) { for (const item of node) collect(item, path, found); }
  else if (isMap(node)) {
    for (const [name, member] of Object.entries(node)) collect(member, [...path, name], found);
  }
}
