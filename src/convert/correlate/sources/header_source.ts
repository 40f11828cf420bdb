import type { NameValue } from "../../../traffic/har/recording.ts";
import { percentDecodedText } from "../../../traffic/session/call_url.ts";
import { escapeRegex } from "../../../base/string_escapes.ts";
import type { Located, SourceSearch } from "./source_search.ts";

/** Matches the names of response headers whose values clients do not send back. */
const NOISE =
  /^(?:content-.*|age|date|expires|cache-control|server|vary|via|access-control-.*|alt-svc|set-cookie|retry-after|.*rate-?limit.*)$/i;

/** A header's name in lower case, and whether `NOISE` matches it. */
interface HeaderName {
  readonly lower: string;
  readonly isNoise: boolean;
}

/** Cache of header names, because the same names occur in most responses. */
const knownNames = new Map<string, HeaderName>();

function headerName(name: string): HeaderName {
  let known = knownNames.get(name);
  if (known === undefined) {
    known = { lower: name.toLowerCase(), isNoise: NOISE.test(name) };
    if (knownNames.size < 10_000) knownNames.set(name, known);
  }
  return known;
}

/** Matches an entity tag. Group 1 is the text between the quotes. */
const ENTITY_TAG = /^(?:W\/)?"(.+)"$/;

/**
 * Searches response headers for values that requests send. Also searches the parts of the URL in a
 * `Location` header.
 */
export const headerSource: SourceSearch = {
  inBody: false,
  search({ call }, { sent }, { add }) {
    const { headers } = call.exchange.response;
    let indexes: readonly number[] | undefined;
    for (let i = 0; i < headers.length; i++) {
      const { name, value } = headers[i];
      const { lower, isNoise } = headerName(name);
      if (isNoise) continue;
      const isLocation = lower === "location";
      const opaque = value.endsWith('"') ? ENTITY_TAG.exec(value)?.[1] : undefined;
      const isSought = sent.sought.has(value);
      const isOpaqueSought = opaque !== undefined && sent.sought.has(opaque);
      if (!isSought && !isOpaqueSought && !isLocation) continue;
      indexes ??= indexesOf(headers);
      const index = indexes[i];
      const header = { type: "header", header: name, ...(index > 0 && { index }) } as const;
      const found = (value: string, key: string, located: Located) =>
        add({
          value,
          key,
          source: "header",
          by: "use",
          numeric: false,
          producer: call,
          located,
        });
      if (isSought) found(value, name, header);
      if (isOpaqueSought) {
        found(opaque, name, { ...header, expression: ENTITY_TAG.source });
      }
      if (index > 0 || !isLocation) continue;
      for (const { value: part, key, encoded, expression } of locationParts(value)) {
        if (!sent.sought.has(part)) continue;
        found(part, key, { ...header, expression, ...(encoded && { transform: ["url_decode"] }) });
      }
    }
  },
};

/** Returns the index of each header among those with the same name. */
function indexesOf(headers: readonly NameValue[]): number[] {
  const counts = new Map<string, number>();
  return headers.map(({ name }) => {
    const { lower } = headerName(name);
    const index = counts.get(lower) ?? 0;
    counts.set(lower, index + 1);
    return index;
  });
}

interface LocationPart {
  readonly value: string;
  readonly key: string;
  /** True if the header contains the value percent-encoded. */
  readonly encoded: boolean;
  /**
   * Regular expression that is applied to the `Location` header. Its first group matches the path
   * segment or the parameter's value.
   */
  readonly expression: string;
}

const LOCATION = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)(.*)$/is;

/** Returns the path segments of a URL and the parameters of its query and fragment. */
function locationParts(location: string): LocationPart[] {
  const [, path, rest] = LOCATION.exec(location)!;
  const segments = path.split("/").map((text, i) => part(text, "id", segmentExpression(i)));
  const pairs = [...rest.matchAll(/[?&#]([^=&#]+)=([^&#]*)/g)].reverse(); // the first of several same-named parameters wins
  const parameters = new Map(pairs.map(([, name, value]) => [
    name,
    part(value, percentDecodedText(name, true), `[?&#]${escapeRegex(name)}=([^&#]*)`),
  ]));
  return [...segments, ...parameters.values()];
}

/** Returns a regular expression for the path segment of a URL at position `index`. */
function segmentExpression(index: number): string {
  return `^(?:[^/?#]*//[^/?#]*)?(?:[^/?#]*/){${index}}([^/?#]+)`;
}

/**
 * Returns an extractor for the segment `value` of a `Location` header that finds it by its position
 * in the path. `before` is the segment before it. Returns undefined if the path does not contain
 * these two segments.
 */
export function locateSegment(
  location: string,
  before: string,
  value: string,
): Located | undefined {
  const segments = LOCATION.exec(location)![1].split("/");
  const index = segments.findIndex((text, i) => text === value && segments[i - 1] === before);
  if (index < 1) return undefined;
  return { type: "header", header: "Location", expression: segmentExpression(index) };
}

function part(text: string, key: string, expression: string): LocationPart {
  const value = percentDecodedText(text, false);
  return { value, key, encoded: value !== text, expression };
}
