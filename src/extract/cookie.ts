import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { READS_NOTHING } from "./response_view.ts";

/**
 * `cookie` extractor: finds the values of a cookie that the response sets. If the response does not
 * set the cookie, finds its value in the cookie jar. Does not read any optional part of the
 * response, because `set-cookie` headers are always available.
 */
export const cookie: ExtractorRuntime<"cookie"> = {
  reads: READS_NOTHING,
  find: ({ cookie }) => (response) => {
    const set = response.headers.filter(([name]) => name === "set-cookie")
      .map(([, value]) => parsePair(value)).filter(([name]) => name === cookie)
      .map(([, value]) => value);
    if (set.length > 0) return set;
    const stored = response.storedCookie(cookie);
    return stored === undefined ? [] : [stored];
  },
};

function parsePair(setCookie: string): [name: string, value: string] {
  const pair = setCookie.split(";", 1)[0];
  const equals = pair.indexOf("=");
  return equals < 0
    ? ["", pair.trim()]
    : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}
