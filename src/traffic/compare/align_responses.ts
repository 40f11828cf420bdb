import { alignCookies, alignHeaders } from "./align_headers.ts";
import { alignOptions } from "./align_options.ts";
import { alignJson } from "./align_json.ts";
import { alignText } from "./align_text.ts";
import { type ComparedResponse, type ReadBody, readBody } from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import type { ValuePair } from "./value_pair.ts";

/**
 * Finds the values that a server generated: pairs of a recorded value and the live value at the
 * same location in the headers, the cookies or the body. Omits recorded values whose live value is
 * in `known`. Call it only if `compareResponses` finds no difference.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { alignResponses } from "./align_responses.ts";
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
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  return [
    ...alignHeaders(recorded, live, known),
    ...alignCookies(recorded, live, known),
    ...(body && liveBody ? alignBodies(body, liveBody, known) : []),
  ];
}

function alignBodies(body: ReadBody, liveBody: ReadBody, known: KnownPairs): ValuePair[] {
  if (body.form === "json" && liveBody.form === "json") {
    return alignJson(body.json, liveBody.json, known);
  }
  const options = body.form === "page" && liveBody.form === "page"
    ? alignOptions(body.text, liveBody.text, known)
    : [];
  const texts = alignText(body.text, liveBody.text, known).map(
    ({ recorded, live, at, liveAt }): ValuePair => ({
      recorded,
      live,
      place: { in: "text", at, liveAt },
      name: nameBefore(body.text, at),
      mayMove: true,
    }),
  );
  return [...options, ...texts];
}

const NAMED_TAG = /^<(?:input|button|meta|select|textarea|option)\b/i;
const NAMING = ["name", "property", "id"].map((attribute) =>
  new RegExp(`\\s${attribute}\\s*=\\s*["']?([^"'\\s>]+)`, "i")
);
const NAME = /([A-Za-z_][\w-]*)["'\]]*\s*[:=][\s"'(]*$/;

/**
 * Returns the name of the field, attribute or variable whose value is at offset `at`, or the path
 * segment before the value. Returns an empty string if there is neither.
 */
function nameBefore(text: string, at: number): string {
  const tagStart = Math.max(text.lastIndexOf("<", at), at - 2_000);
  const tag = text.slice(tagStart, text.indexOf(">", at) + 1 || undefined).slice(0, 4_000);
  const field = NAMED_TAG.test(tag)
    ? NAMING.map((pattern) => pattern.exec(tag)?.[1]).find(Boolean)
    : undefined;
  if (field !== undefined) return field;
  const name = NAME.exec(text.slice(Math.max(0, at - 100), at))?.[1] ?? "";
  if (name !== "" && !/^(?:href|src|action|value|content)$/i.test(name)) return name;
  return pathName(text.slice(Math.max(0, at - 200), at));
}

/**
 * Returns the path segment at the end of `before`, the text before an id: `orders` if it ends in
 * `/orders/`. Returns an empty string if the text does not end in a path segment and a slash.
 */
function pathName(before: string): string {
  return /\/([A-Za-z][\w-]*)\/$/.exec(before)?.[1] ?? "";
}
