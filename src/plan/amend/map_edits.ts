import type { Pair, Scalar, YAMLMap } from "yaml";
import { orderedKeys, printEntries } from "../print.ts";
import { childSchema, type SchemaNode } from "../values/schema_walk.ts";
import type { Amendment } from "./amendment.ts";
import { ownMember } from "../compare/same_value.ts";

/** An entry of a map in YAML text. */
interface Entry {
  readonly pair: Pair;
  readonly key: string;
  /** Offset of the entry's key. */
  readonly start: number;
}

/** Edits a map in block style. Returns false if the whole map must be rewritten instead. */
export function amendMap(
  { edits, amend }: Amendment,
  node: YAMLMap,
  before: Readonly<Record<string, unknown>>,
  after: Record<string, unknown>,
  schema: SchemaNode | undefined,
): boolean {
  const entries = node.items.map(toEntry);
  const first = entries.findIndex(({ key }) => ownMember(after, key) !== undefined);
  if (first < 0 || entries.some(({ key }) => !Object.hasOwn(before, key))) return false;
  const indent = edits.indentOf(entries[0].start);
  // Entries in front of the first one that remains share their line with the dash of a list item.
  const shared = edits.startsLine(entries[0].start) ? 0 : first;
  if (shared > 0) edits.replace(entries[0].start, entries[first].start, "", "");
  entries.slice(shared).forEach(({ pair, key, start }) => {
    const value = ownMember(after, key);
    const end = edits.contentEnd(pair);
    if (value === undefined) edits.removeLines(start, end);
    else if (!amend(pair.value, before[key], value, schema && childSchema(schema, key))) {
      edits.replace(start, end, printEntries({ [key]: value }, schema), indent);
    }
  });
  let above: Entry | undefined;
  for (const key of orderedKeys(after, schema)) {
    const entry = entries.find((one) => one.key === key);
    if (entry !== undefined) {
      above = entry;
      continue;
    }
    const lines = printEntries({ [key]: after[key] }, schema);
    if (above === undefined) edits.insertAbove(entries[first].start, lines, indent);
    else edits.insertBelow(edits.contentEnd(above.pair), lines, indent);
  }
  return true;
}

function toEntry(pair: Pair): Entry {
  const key = pair.key as Scalar;
  return { pair, key: String(key.value), start: key.range![0] };
}
