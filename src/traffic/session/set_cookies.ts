import type { RecordedResponse } from "../har/recording.ts";

/**
 * Returns the names and values of the cookies that a response sets, in order. Splits headers at line
 * breaks, because some recorders use these to join several `Set-Cookie` headers.
 */
export function parseSetCookies({ headers }: RecordedResponse): [name: string, value: string][] {
  return headers.filter(({ name }) => name.toLowerCase() === "set-cookie")
    .flatMap(({ value }) => value.split("\n"))
    .map((line): [string, string] => {
      const [, name = "", value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
      return [name, value.trim()];
    });
}
