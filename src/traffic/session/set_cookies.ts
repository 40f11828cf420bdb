import type { RecordedRequest, RecordedResponse } from "../har/recording.ts";

const NAME = "set-cookie";

/**
 * Returns the names and values of the cookies that a response sets, in order. Splits headers at
 * line breaks, because some recorders use these to join several `Set-Cookie` headers.
 */
export function parseSetCookies(
  response: Pick<RecordedResponse, "headers">,
): [name: string, value: string][] {
  return listSetCookies(response).map((line) => {
    const [, name = "", value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
    return [name, value.trim()];
  });
}

/** Returns the values of the `Set-Cookie` headers of a response, one for each cookie, in order. */
export function listSetCookies({ headers }: Pick<RecordedResponse, "headers">): string[] {
  const lines: string[] = [];
  for (const header of headers) {
    // Compare the lengths first, because most names differ in length.
    if (header.name.length !== NAME.length || header.name.toLowerCase() !== NAME) continue;
    lines.push(...header.value.split("\n"));
  }
  return lines;
}

/** Returns the names and values of the cookies that a request sends. */
export function cookiesOf(
  { headers }: Pick<RecordedRequest, "headers">,
): [name: string, value: string][] {
  return headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}
