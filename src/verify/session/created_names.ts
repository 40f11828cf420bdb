import { headerValue } from "../../traffic/har/har_fields.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { fieldsIn, percentDecodedText } from "../../traffic/session/call_url.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { responseTexts } from "../recorded/response_texts.ts";
import { generatedValues } from "../values/generated_values.ts";
import { ValueFinder } from "../values/value_finder.ts";

/** Minimum length of a name in UTF-16 code units. Shorter names are too common in text. */
const SHORTEST = 4;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Matches file names with a number, such as `Untitled2.ipynb` and `report (1).pdf`. */
const NUMBERED_FILE = /^(?=.{8,120}$)[^/]*\d{1,3}\)?\.[A-Za-z]\w{1,7}$/;

/**
 * Returns the names of files that the server numbered. These are segments of request paths that
 * occur in the response to a write before they occur anywhere else. Takes time linear in the length
 * of the responses.
 */
export function numberedFiles(calls: readonly RecordedCall[]): Set<string> {
  const finder = new ValueFinder();
  const names = new Set(
    calls.flatMap(({ url }) => fieldsIn(url.path).map(({ value }) => value))
      .filter((name) => NUMBERED_FILE.test(name) && generatedValues(name).length === 0),
  );
  if (names.size === 0) return names;
  for (const name of names) finder.add(name);
  const known = new Set<string>();
  const created = new Set<string>();
  for (const call of calls) {
    for (const { value } of call.fields) for (const one of finder.find(value)) known.add(one.value);
    for (const { value } of responseTexts(call.exchange).flatMap((text) => finder.find(text))) {
      if (!known.has(value) && !SAFE.has(methodOf(call))) created.add(value);
      known.add(value);
    }
  }
  return created;
}

/**
 * Returns the names that the server generated for new objects. These are path segments in the
 * `Location` of a response to a write. Omits segments that the request of the write, an earlier
 * request or an earlier `Location` contained. If the response is a redirect, includes only segments
 * that consist of words of the request, such as `my-first-article`, because other segments are
 * names of pages.
 */
export function createdNames(calls: readonly RecordedCall[]): Set<string> {
  const known = new Set<string>();
  const created = new Set<string>();
  for (const call of calls) {
    for (const { value } of call.fields) known.add(value);
    if (SAFE.has(methodOf(call))) continue;
    const { status } = call.exchange.response;
    const words = status === 201 ? undefined : sentWords(call);
    for (const name of locationSegments(call.exchange)) {
      if (name.length < SHORTEST || known.has(name) || generatedValues(name).length > 0) continue;
      if (words === undefined || repeatsWords(name, words)) created.add(name);
      known.add(name);
    }
  }
  return created;
}

/** Returns the decoded segments of the path in the `Location` of a response. */
function locationSegments({ request, response }: Exchange): string[] {
  const { status, headers } = response;
  const location = headerValue(headers, "location");
  if (location === undefined || (status !== 201 && !(status >= 300 && status < 400))) return [];
  const path = URL.parse(location, request.url)?.pathname ?? "";
  return path.split("/").map((segment) => percentDecodedText(segment, false));
}

function sentWords({ url, fields }: RecordedCall): Set<string> {
  const inUrl = new Set(fieldsIn([...url.path, ...url.query]));
  const texts = fields.filter((field) => !inUrl.has(field) && field.kind !== "header");
  return new Set(texts.flatMap(({ value }) => wordsOf(value)));
}

/** Reports whether a name consists of at least two words, all of them in `words`. */
function repeatsWords(name: string, words: ReadonlySet<string>): boolean {
  const own = wordsOf(name);
  return own.length >= 2 && own.every((word) => words.has(word));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
