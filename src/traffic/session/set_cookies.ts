import type { RecordedResponse } from "../har/recording.ts";

const NAME = "set-cookie";

/**
 * Returns the names and values of the cookies that a response sets, in order. Splits headers at
 * line breaks, because some recorders use these to join several `Set-Cookie` headers.
 */
export function parseSetCookies(
  { headers }: Pick<RecordedResponse, "headers">,
): [name: string, value: string][] {
  const cookies: [name: string, value: string][] = [];
  for (const header of headers) {
    // Compare the lengths first, because most names differ in length.
    if (header.name.length !== NAME.length || header.name.toLowerCase() !== NAME) continue;
    for (const line of header.value.split("\n")) {
      const [, name = "", value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
      cookies.push([name, value.trim()]);
    }
  }
  return cookies;
}
