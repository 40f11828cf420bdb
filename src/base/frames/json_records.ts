import { isJsonText } from "../exact_json.ts";
import type { FramedJson } from "./frame.ts";

/** Character that ends each SignalR message. */
const SEPARATOR = "\x1e";

/**
 * Finds the JSON objects and lists in `text`, each of which may end with a line break or, in
 * SignalR, with the character U+001E. Returns a single object or list unchanged, and several as one
 * JSON list. Returns undefined if `text` contains anything else.
 */
export function jsonRecords(text: string): FramedJson | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const separator = text.includes(SEPARATOR) ? SEPARATOR : "\n";
  const ranges: [start: number, end: number][] = [];
  for (let start = 0; start < text.length;) {
    const next = text.indexOf(separator, start);
    const end = next < 0 ? text.length : next;
    const record = text.slice(start, end);
    if (isJsonText(record)) ranges.push([start, end]);
    else if (record.trim() !== "") return undefined;
    start = end + 1;
  }
  const records = ranges.map(([start, end]) => text.slice(start, end));
  return { json: records.length === 1 ? records[0] : `[${records.join()}]`, ranges };
}
