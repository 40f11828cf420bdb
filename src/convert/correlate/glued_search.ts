import { nameHint } from "../../traffic/session/dynamic_value.ts";
import { isWrite, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestValues } from "./sources/request_values.ts";
import { forEachToken } from "../../traffic/session/text_ranges.ts";
import type { CandidatePool } from "./candidate_pool.ts";
import { returnsValue } from "./row_text.ts";
import type { Located } from "./sources/source_search.ts";
import { locateText } from "./sources/text_values.ts";

/** Matches values that are unlikely to occur by chance: long numbers and long hexadecimal numbers. */
const DISTINCTIVE = /^(?:\d{8,40}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,64})$/;
/** Maximum length of the letters before a value, in UTF-16 code units. */
const LONGEST_PREFIX = 20;
/** Minimum length of the letters before a value, in UTF-16 code units. */
const SHORTEST_PREFIX = 2;
/** Maximum number of values to look for an extractor for, in one body. */
const MOST_VALUES = 16;
/** Maximum number of occurrences of a value to look for an extractor for, in one body. */
const MOST_TRIES = 3;
/** Maximum length of a body that is searched, in UTF-16 code units. */
const LONGEST_BODY = 2 ** 20;

/**
 * Finds ids that responses contain only directly after letters, such as `rcmfile11795447614059541`
 * for an upload, whose id a script sends without the letters. Adds to `pool` the values that meet
 * all of these conditions:
 *
 * - The value fills a field of a request, looks dynamic there, and is a number of at least 8 digits
 *   or a hexadecimal number of at least 16 digits.
 * - `pool` does not contain the value, so that no response contains it without the letters.
 * - The response to an earlier write contains it after 2 to 20 letters.
 */
export function addGluedValues(
  calls: readonly RecordedCall[],
  { sought }: RequestValues,
  pool: CandidatePool,
): void {
  const firstUses = new Map<string, number>();
  let wasWritten = false;
  let last = -1;
  for (const call of calls) {
    for (const { kind, value } of call.fields) {
      if (kind === "header" || kind === "name" || value.length < 8 || firstUses.has(value)) {
        continue;
      }
      if (!DISTINCTIVE.test(value)) continue;
      // Values that the client sent before any write do not come from the response to a write.
      const isOpen = wasWritten && sought.get(value)?.sure === true && !pool.has(value);
      firstUses.set(value, isOpen ? call.order : -1);
      if (isOpen) last = call.order;
    }
    wasWritten ||= isWrite(call);
  }
  for (const call of calls) {
    if (call.order >= last) return;
    if (isWrite(call)) searchBody(call, firstUses, pool);
  }
}

/** Searches one response. `firstUses` contains the position of the first call with each value. */
function searchBody(
  call: RecordedCall,
  firstUses: ReadonlyMap<string, number>,
  pool: CandidatePool,
): void {
  const { text } = call.exchange.response;
  if (text === undefined || text.length > LONGEST_BODY) return;
  /** Number of tried occurrences of each value. `MOST_TRIES` if an extractor was found. */
  const tries = new Map<string, number>();
  forEachToken(text, (start, end) => {
    const most = Math.min(end - start - 8, LONGEST_PREFIX);
    for (
      let length = 1;
      length <= most && isLetter(text.charCodeAt(start + length - 1));
      length++
    ) {
      if (length < SHORTEST_PREFIX) continue;
      const value = text.slice(start + length, end);
      if ((firstUses.get(value) ?? -1) <= call.order) continue;
      const tried = tries.get(value) ?? (tries.size < MOST_VALUES ? 0 : MOST_TRIES);
      if (tried === MOST_TRIES) continue;
      const prefix = text.slice(start, start + length);
      const located = locate(call, text, start, prefix, value);
      tries.set(value, located === undefined ? tried + 1 : MOST_TRIES);
      if (located === undefined) continue;
      const key = nameHint(prefix).idLike ? prefix : `${prefix}_id`;
      pool.add({ value, key, source: "html", by: "use", numeric: false, producer: call, located });
    }
  });
}

/** Returns an extractor for `value`, which is after `prefix` at offset `start` in `text`. */
function locate(
  call: RecordedCall,
  text: string,
  start: number,
  prefix: string,
  value: string,
): Located | undefined {
  const right = text[start + prefix.length + value.length];
  const short: Located = {
    type: "boundary",
    left: `${text.slice(start - 1, start)}${prefix}`,
    right,
  };
  if (right !== undefined && returnsValue(call, short, value)) return short;
  const from = start + prefix.length;
  const found = locateText(text, from, from + value.length)?.extractor;
  return found !== undefined && returnsValue(call, found, value) ? found : undefined;
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}
