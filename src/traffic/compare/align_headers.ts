import type { NameValue } from "../har/recording.ts";
import { parseSetCookies } from "../session/set_cookies.ts";
import { alignText } from "./align_text.ts";
import type { WordPair } from "./align_words.ts";
import type { ComparedResponse } from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import type { ValuePair } from "./value_pair.ts";

/**
 * Headers that contain no values that clients send back, and `set-cookie`, which `alignCookies`
 * compares.
 */
const IGNORED = new Set(["age", "content-length", "date", "expires", "set-cookie"]);

/** Finds the values that differ between the headers of a recorded and a live response. */
export function alignHeaders(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ValuePair[] {
  const pairs: ValuePair[] = [];
  const liveByName = groupByName(live.headers);
  for (const [name, values] of groupByName(recorded.headers)) {
    if (IGNORED.has(name)) continue;
    const liveValues = liveByName.get(name) ?? [];
    if (values.length !== liveValues.length) continue;
    const place = { in: "header", name } as const;
    values.forEach((value, i) => {
      const liveValue = liveValues[i];
      if (value === liveValue || known.toLive(value) === liveValue) return;
      if (value !== "" && liveValue !== "") {
        pairs.push({ recorded: value, live: liveValue, place, name, mayMove: false });
      }
      for (const word of alignText(value, liveValue, known)) {
        const { recorded, live } = word;
        if (recorded === value) continue;
        pairs.push({ recorded, live, place, name: nameOf(word, value, name), mayMove: false });
      }
    });
  }
  return pairs;
}

/** Finds the values that differ between the cookies that a recorded and a live response set. */
export function alignCookies(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ValuePair[] {
  const liveValues = new Map(parseSetCookies(live));
  return [...new Map(parseSetCookies(recorded))].flatMap(([name, value]) => {
    const liveValue = liveValues.get(name);
    if (value === "" || !liveValue || value === liveValue) return [];
    if (known.liveOf(value) === liveValue) return [];
    const place = { in: "cookie", name } as const;
    return [{ recorded: value, live: liveValue, place, name, mayMove: false }];
  });
}

function groupByName(headers: readonly NameValue[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    byName.set(key, [...byName.get(key) ?? [], value]);
  }
  return byName;
}

/**
 * Returns a name for a pair in the header value `value`: the name of the parameter or the path
 * segment directly before the pair. Returns `otherwise` if neither precedes it.
 */
function nameOf({ recorded, at }: WordPair, value: string, otherwise: string): string {
  const [, parameter, segment] =
    /([A-Za-z_][\w-]*)=$|\/([A-Za-z][\w-]*)\/$/.exec(value.slice(0, at)) ?? [];
  const isSegment = segment !== undefined && !recorded.includes("/");
  return parameter ?? (isSegment ? segment : otherwise);
}
