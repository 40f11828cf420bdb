import { parseSetCookies } from "../traffic/session/headers.ts";
import { type DefaultOption, findDefaultOptions } from "../extract/forms.ts";
import type { NameValue } from "../traffic/har/recording.ts";
import { alignJson } from "./align_json.ts";
import { alignText } from "./align_text.ts";
import { type ComparedResponse, readBody } from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { encodedRange, keyAt, type Occurrence, type OuterPlace } from "./views.ts";
import { type Compared, inBody, partOf, type ValuePair, wholeText } from "./value_pair.ts";

/**
 * Finds the values that a server generated: pairs of a recorded value and the live value at the
 * same location in the headers, the cookies or the body. Omits recorded values whose live value is
 * in `known`. Call it only if `compareResponses` finds no difference.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { alignResponses } from "./align.ts";
 * import { KnownPairs } from "./known_pairs.ts";
 *
 * const page = (token: string) => ({
 *   status: 200,
 *   headers: [],
 *   mimeType: "text/html",
 *   text: `<form><input name="csrf" value="${token}"></form>`,
 * });
 * const [pair] = alignResponses(page("k3x9qq"), page("m7w2pp"), new KnownPairs());
 * assertEquals([pair.recorded, pair.live, pair.name], ["k3x9qq", "m7w2pp", "csrf"]);
 * ```
 */
export function alignResponses(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ValuePair[] {
  const compared = { recorded, live, known };
  return Object.values(ALIGN).flatMap((align) => align(compared));
}

/** Comparisons of the kinds of places. The one of bodies includes JSON. */
const ALIGN: Readonly<
  Record<Exclude<OuterPlace["kind"], "json" | "member">, (compared: Compared) => ValuePair[]>
> = { header: alignHeaders, cookie: alignCookies, body: alignBodies };

/**
 * Headers that contain no values that clients send back, and `set-cookie`, which `alignCookies`
 * compares.
 */
const IGNORED = new Set(["age", "content-length", "date", "expires", "set-cookie"]);

/** Finds the values that differ between the headers of a recorded and a live response. */
export function alignHeaders({ recorded, live, known }: Compared): ValuePair[] {
  const liveByName = groupByName(live.headers);
  return [...groupByName(recorded.headers)].flatMap(([name, values]) => {
    const liveValues = liveByName.get(name) ?? [];
    if (IGNORED.has(name) || values.length !== liveValues.length) return [];
    return values.flatMap((value, i) => {
      const liveValue = liveValues[i];
      if (value === liveValue || known.toLive(value) === liveValue) return [];
      const whole = wholePair({ kind: "header", name }, [recorded, value], [live, liveValue]);
      const parts = alignText(value, liveValue, known).filter((one) => one.recorded !== value)
        .map((one) => partOf(whole, one))
        .map((part) => ({ ...part, name: nameOf(part.at) || name }));
      return value !== "" && liveValue !== "" ? [whole, ...parts] : parts;
    });
  });
}

/** Finds the values that differ between the cookies that a recorded and a live response set. */
function alignCookies({ recorded, live, known }: Compared): ValuePair[] {
  const liveValues = new Map(parseSetCookies(live));
  return [...new Map(parseSetCookies(recorded))].flatMap(([name, value]) => {
    const liveValue = liveValues.get(name);
    if (value === "" || !liveValue || value === liveValue) return [];
    if (known.liveOf(value) === liveValue) return [];
    return [wholePair({ kind: "cookie", name }, [recorded, value], [live, liveValue])];
  });
}

/** Returns the pair of two whole headers or cookies, each with its response. */
function wholePair(
  place: OuterPlace & { readonly name: string },
  [recorded, value]: readonly [ComparedResponse, string],
  [live, liveValue]: readonly [ComparedResponse, string],
): ValuePair {
  const { name } = place;
  const at = wholeText(recorded, value, name, place);
  const liveAt = wholeText(live, liveValue, name, place);
  return { recorded: value, live: liveValue, at, liveAt, name, mayMove: false };
}

function groupByName(headers: readonly NameValue[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    byName.set(key, [...byName.get(key) ?? [], value]);
  }
  return byName;
}

/** Returns the name of a value in a longer text, or the segment of a path before it. */
export function nameOf(at: Occurrence): string {
  const { view, start } = encodedRange(at) ?? at;
  return keyAt(at) ||
    (/\/([A-Za-z][\w-]*)\/$/.exec(view.text.slice(Math.max(0, start - 200), start))?.[1] ?? "");
}

function alignBodies(compared: Compared): ValuePair[] {
  const { recorded, live, known } = compared;
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  if (body === undefined || liveBody === undefined) return [];
  if (body.form === "json" && liveBody.form === "json") {
    return alignJson(body.json, liveBody.json, compared);
  }
  const whole: ValuePair = {
    recorded: body.text,
    live: liveBody.text,
    at: inBody(recorded, 0, body.text.length),
    liveAt: inBody(live, 0, liveBody.text.length),
    name: "",
    mayMove: true,
  };
  const isPage = body.form === "page" && liveBody.form === "page";
  return [
    ...isPage ? alignOptions({ ...whole, mayMove: false }, known) : [],
    ...alignText(body.text, liveBody.text, known)
      .map((pair) => partOf(whole, pair)).map((pair) => ({ ...pair, name: nameOf(pair.at) })),
  ];
}

/**
 * Compares the options that a browser sends by default for the `<select>` elements of two pages.
 * Ignores names for which the pages have a different number of default options. A difference is not
 * a value that only moved, even if the live page contains the recorded value in another option.
 */
function alignOptions(whole: ValuePair, known: KnownPairs): ValuePair[] {
  const byName = (page: string) => Map.groupBy(findDefaultOptions(page) ?? [], ({ name }) => name);
  const options = byName(whole.recorded);
  if (options.size === 0) return [];
  const liveOptions = byName(whole.live);
  return [...options].flatMap(([name, own]) => {
    const others = liveOptions.get(name) ?? [];
    return own.flatMap((option, i) => {
      const other = others[i];
      if (own.length !== others.length || option.value === "" || other.value === "") return [];
      if ((known.liveOf(option.value) ?? option.value) === other.value) return [];
      return [partOf(whole, {
        recorded: option.value,
        live: other.value,
        at: option.at,
        liveAt: other.at,
        encoded: [lengthIn(whole.recorded, option), lengthIn(whole.live, other)],
      }, name)];
    });
  });
}

/** Returns the length of an option's value in a page, in which it may be encoded. */
function lengthIn(page: string, { value, at }: DefaultOption): number {
  if (page.startsWith(value, at)) return value.length;
  const quote = page[at - 1];
  const end = quote === '"' || quote === "'" ? page.indexOf(quote, at) : -1;
  return end < 0 ? value.length : end - at;
}
