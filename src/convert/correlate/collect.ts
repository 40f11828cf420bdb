import type { Candidate } from "./candidate.ts";
import { cookieCandidates } from "./cookie_source.ts";
import type { Draft } from "./draft.ts";
import { encodedCandidates } from "./encoded_source.ts";
import { headerCandidates } from "./header_source.ts";
import { htmlCandidates } from "./html_source.ts";
import { jsonBody, jsonCandidates } from "./json_source.ts";
import type { Sent } from "./sent.ts";
import { ValueIndex } from "./value_index.ts";

/**
 * Gives what the responses offer, in the order in which they ended: of JSON bodies every dynamic-looking
 * value that a request may send (`all`: or not), of all else what requests are known to send.
 */
export function collectCandidates(
  drafts: readonly Draft[],
  sent: Sent,
  all: boolean,
  give: (candidate: Candidate) => void,
): void {
  const sought = new ValueIndex();
  for (const value of sent.sought.keys()) sought.add(value);
  for (const draft of byEnd(drafts)) {
    const body = jsonBody(draft.exchange.response);
    if (body === undefined) htmlCandidates(draft, sent, sought, give);
    else {
      jsonCandidates(draft, body, (candidate) => {
        if (all || sent.mayHold(candidate.value)) give(candidate);
        for (const encoded of encodedCandidates(candidate, sent)) give(encoded);
      });
    }
    headerCandidates(draft, sent, give);
    cookieCandidates(draft, sent, give);
  }
}

function byEnd(drafts: readonly Draft[]): Draft[] {
  return drafts.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}
