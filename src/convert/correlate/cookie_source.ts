import type { Candidate } from "./candidate.ts";
import { percentDecode } from "./decode.ts";
import type { Draft } from "./draft.ts";
import type { Sent } from "./sent.ts";

/** Gives the values of a response's cookies that script copies into a request (double submit). */
export function cookieCandidates(
  producer: Draft,
  sent: Sent,
  give: (candidate: Candidate) => void,
): void {
  for (const header of producer.exchange.response.headers) {
    if (header.name.toLowerCase() !== "set-cookie") continue;
    for (const line of header.value.split("\n")) {
      const match = /^\s*([^=;\s]+)=([^;]*)/.exec(line);
      if (match !== null) cookieCandidate(producer, match[1], match[2].trim(), sent, give);
    }
  }
}

function cookieCandidate(
  producer: Draft,
  cookie: string,
  text: string,
  sent: Sent,
  give: (candidate: Candidate) => void,
): void {
  const common = { key: cookie, source: "cookie", by: "use", numeric: false, producer } as const;
  if (sent.sought.has(text)) {
    give({ ...common, value: text, locate: () => ({ type: "cookie", cookie }) });
  }
  const decoded = percentDecode(text, false)?.value;
  if (decoded === undefined || !sent.sought.has(decoded)) return;
  give({
    ...common,
    value: decoded,
    locate: () => ({ type: "cookie", cookie, transform: ["url_decode"] }),
  });
}
