import type { Candidate, Located } from "./candidate.ts";
import { percentDecode } from "../../traffic/session/percent_decode.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestValues } from "./request_values.ts";

/**
 * Passes to `add` the values of response cookies that a request also sends in another field. Page script
 * copies them there (double-submit cookies).
 */
export function cookieCandidates(
  producer: RecordedCall,
  sent: RequestValues,
  add: (candidate: Candidate) => void,
): void {
  const seen = new Map<string, number>();
  for (const [cookie, text] of parseSetCookies(producer)) {
    const index = seen.get(cookie) ?? 0;
    seen.set(cookie, index + 1);
    const located = { type: "cookie", cookie, ...(index > 0 && { index }) } as const;
    const found = (value: string, locate: () => Located) =>
      add({ value, key: cookie, source: "cookie", by: "use", numeric: false, producer, locate });
    if (sent.sought.has(text)) found(text, () => located);
    const decoded = percentDecode(text, false)?.value;
    if (decoded !== undefined && sent.sought.has(decoded)) {
      found(decoded, () => ({ ...located, transform: ["url_decode"] }));
    }
  }
}

/**
 * Returns the names and values of the cookies that a response sets, in order. Splits headers at line
 * breaks, because some recorders join several `Set-Cookie` headers with them.
 */
export function parseSetCookies({ exchange }: RecordedCall): [name: string, value: string][] {
  return exchange.response.headers.filter(({ name }) => name.toLowerCase() === "set-cookie")
    .flatMap(({ value }) => value.split("\n"))
    .map((line): [string, string] => {
      const [, name = "", value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
      return [name, value.trim()];
    });
}
