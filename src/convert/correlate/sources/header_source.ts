import { percentDecodedText } from "../../../traffic/session/percent_decode.ts";
import type { Located, SourceSearch } from "./source_search.ts";

/** Matches the names of response headers whose values clients do not send back. */
const NOISE =
  /^(?:content-.*|age|date|expires|last-modified|cache-control|server|vary|via|access-control-.*|alt-svc|set-cookie|retry-after|.*rate-?limit.*)$/i;

/**
 * Searches response headers for values that requests send. Also searches the parts of the URL in a
 * `Location` header.
 */
export const headerSource: SourceSearch = {
  inBody: false,
  search({ call }, { sent }, { add }) {
    const seen = new Map<string, number>();
    for (const { name, value } of call.exchange.response.headers) {
      const index = seen.get(name.toLowerCase()) ?? 0;
      seen.set(name.toLowerCase(), index + 1);
      if (NOISE.test(name)) continue;
      const header = { type: "header", header: name, ...(index > 0 && { index }) } as const;
      const found = (value: string, key: string, located: Located) =>
        add({
          value,
          key,
          source: "header",
          by: "use",
          numeric: false,
          producer: call,
          locate: () => located,
        });
      if (sent.sought.has(value)) found(value, name, header);
      if (index > 0 || name.toLowerCase() !== "location") continue;
      for (const { value: part, key, encoded, expression } of locationParts(value)) {
        if (!sent.sought.has(part)) continue;
        found(part, key, { ...header, expression, ...(encoded && { transform: ["url_decode"] }) });
      }
    }
  },
};

interface LocationPart {
  readonly value: string;
  readonly key: string;
  /** True if the header contains the value percent-encoded. */
  readonly encoded: boolean;
  /** Regular expression whose first group matches the part. */
  readonly expression: string;
}

/** Returns the path segments of a URL and the parameters of its query and fragment. */
function locationParts(location: string): LocationPart[] {
  const [, path, rest] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(location)!;
  const segments = path.split("/").map((segment, i) =>
    part(segment, "id", `^(?:[^/?#]*//[^/?#]*)?(?:[^/?#]*/){${i}}([^/?#]+)`)
  );
  const pairs = [...rest.matchAll(/[?&#]([^=&#]+)=([^&#]*)/g)].reverse(); // the first of several same-named parameters wins
  const parameters = new Map(pairs.map(([, name, value]) => [
    name,
    part(value, percentDecodedText(name, true), `[?&#]${escapeRegex(name)}=([^&#]*)`),
  ]));
  return [...segments, ...parameters.values()];
}

function part(text: string, key: string, expression: string): LocationPart {
  const value = percentDecodedText(text, false);
  return { value, key, encoded: value !== text, expression };
}

/** Escapes text for literal use in a regular expression. */
function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
