import { OPEN_BRACE } from "../../../base/ascii.ts";
import { JsonSplitter } from "./json_splitter.ts";
import type { JsonFields, LineSplitter, NoRequest } from "./line_splitter.ts";
import { FIELD_INDEX, type Spans } from "./log_fields.ts";

const TAB = 0x09;

/** Splits lines that start with a timestamp and a tab and end with a JSON object. */
export class PrefixedJsonSplitter implements LineSplitter {
  readonly #json: JsonSplitter;

  /** Creates a splitter that reads the members in `fields`. */
  constructor(fields: JsonFields) {
    this.#json = new JsonSplitter(fields);
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    const tab = bytes.subarray(start, end).indexOf(TAB);
    const brace = bytes.subarray(start, end).indexOf(OPEN_BRACE);
    if (tab < 0 || brace < tab) return "no-request";
    spans.set(FIELD_INDEX.time, start, start + tab);
    return this.#json.split(bytes, view, start + brace, end, spans);
  }
}
