import { isJsonText } from "../exact_json.ts";
import type { FramedJson } from "./frame.ts";

/** Character that ends each SignalR message. */
const SEPARATOR = "\x1e";

/**
 * Returns a list of the JSON texts that `text` contains, or the JSON text itself if there is only
 * one. Line breaks separate or end the texts, or, in SignalR, the character U+001E. Returns
 * undefined for any other text.
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
