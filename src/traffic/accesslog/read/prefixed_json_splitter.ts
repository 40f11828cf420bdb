import { OPEN_BRACE } from "../../../base/ascii.ts";
import { JsonSplitter } from "./json_splitter.ts";
import type { JsonFields, LineSplitter, NoRequest } from "./line_splitter.ts";
import { FIELD_INDEX, type Spans } from "./log_fields.ts";

const TAB = 0x09;

/**
 * Splits lines of Caddy's console format: a timestamp, a level, the name of a logger (if it has
 * one), a message and a JSON object, separated by tabs.
 */
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
    const line = bytes.subarray(start, end);
    const tab = line.indexOf(TAB);
    const brace = line.indexOf(OPEN_BRACE);
    if (tab < 0 || brace < tab) return "no-request";
    spans.set(FIELD_INDEX.time, start, start + tab);
    const logger = line.indexOf(TAB, tab + 1) + 1;
    const message = line.indexOf(TAB, logger) + 1;
    const rest = line.indexOf(TAB, message) + 1;
    // Without a logger, the message follows the level.
    if (message > logger && rest > message && rest <= brace) {
      spans.set(FIELD_INDEX.logger, start + logger, start + message - 1);
    }
    return this.#json.split(bytes, view, start + brace, end, spans);
  }
}
