import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { type LinkPart, patternOf } from "./link_parts.ts";
import { LinkParts } from "./link_parts.ts";
import { rowsIn, type TextRange } from "../../extract/rows.ts";
import { rowValues } from "../../traffic/session/row_values.ts";
import { locateInRow } from "./row_text.ts";
import type { Candidate, FoundValues, Located, SearchedResponse } from "./sources/source_search.ts";
import type { RowNames } from "./sources/typed_names.ts";

/** Maximum number of typed names to search for in a page. */
const MOST_NAMES = 100;
/** Maximum number of occurrences of a typed name in one page around which to search for a row. */
const MOST_OCCURRENCES = 4;

/**
 * Finds the ids of the user's objects in pages, even short ids, because they are different on a
 * fresh server. Searches the table rows and list items that contain a string that the user typed
 * earlier. In these rows, finds parts of links and values of form options that requests use.
 */
export class TypedRowSearch {
  readonly #parts: LinkParts;
  readonly #typed: RowNames;
  readonly #calls: readonly RecordedCall[];
  #knownFields: ReadonlySet<string> | undefined;

  constructor(calls: readonly RecordedCall[], typed: RowNames) {
    this.#parts = new LinkParts(calls);
    this.#typed = typed;
    this.#calls = calls;
  }

  /**
   * Names and values of those form and query fields in requests whose value contains a digit.
   * Collected on first use, because most recordings have no rows to search.
   */
  get #fields(): ReadonlySet<string> {
    return this.#knownFields ??= sentFields(this.#calls);
  }

  /** Searches a response. */
  search(response: SearchedResponse, found: FoundValues): void {
    const { call, text, json } = response;
    if (text === undefined || json !== undefined) return;
    if (!call.exchange.response.mimeType.includes("html")) return;
    let tried = 0;
    for (const name of this.#typed.before(call.order)) {
      if (++tried > MOST_NAMES) return;
      this.#searchRows(call, text, escapeMarkup(name), found);
    }
  }

  #searchRows(call: RecordedCall, text: string, name: string, found: FoundValues): void {
    let at = text.indexOf(name);
    for (let i = 0; i < MOST_OCCURRENCES && at >= 0; i++) {
      const from = Math.max(0, at - AROUND);
      const near = text.slice(from, at + AROUND);
      const [row] = rowsIn(near, at - from);
      if (row !== undefined) this.#searchRow(call, near, row, found);
      at = text.indexOf(name, at + name.length);
    }
  }

  #searchRow(call: RecordedCall, text: string, row: TextRange, found: FoundValues): void {
    for (const { value, name, inPath, at } of rowValues(text, row)) {
      const part: LinkPart = { value, collection: name, inPath };
      const isSent = inPath
        ? this.#parts.get(patternOf(part)) !== undefined
        : this.#fields.has(patternOf(part));
      const located = isSent ? locateInRow(call, text, at, value, this.#typed) : undefined;
      const key = !inPath ? name : /^\d+$/.test(value) ? "id" : "link";
      if (located) found.add(candidate(part, call, located, key));
    }
  }
}

function sentFields(calls: readonly RecordedCall[]): Set<string> {
  const sent = new Set<string>();
  for (const { fields } of calls) {
    for (const { kind, name, value } of fields) {
      if (FORM.has(kind) && /\d/.test(value)) sent.add(patternOf(option(name, value)));
    }
  }
  return sent;
}

const FORM: ReadonlySet<string> = new Set(["form", "multipart", "query"]);
/**
 * How far before and after a typed name to search for the row that contains it, in UTF-16 code
 * units.
 */
const AROUND = 16_384;
function option(name: string, value: string): LinkPart {
  return { value, collection: name, inPath: false };
}

function candidate(
  { value, collection }: LinkPart,
  producer: RecordedCall,
  located: Located,
  key: string,
): Candidate {
  return {
    value,
    key,
    collection,
    source: "html",
    by: "link",
    numeric: false,
    producer,
    located,
  };
}

function escapeMarkup(name: string): string {
  return name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
