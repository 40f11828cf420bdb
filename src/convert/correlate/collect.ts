import type { Candidate } from "./candidate.ts";
import { cookieCandidates } from "./cookie_source.ts";
import type { Draft } from "./draft.ts";
import { encodedCandidates, indexEncodings } from "./encoded_source.ts";
import { headerCandidates } from "./header_source.ts";
import { htmlCandidates } from "./html_source.ts";
import { jsonCandidates, parseJsonBody } from "./json_source.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import type { RequestValues } from "./request_values.ts";
import { Trial } from "./trial.ts";
import { ValueIndex } from "./value_index.ts";

/**
 * Gives what the responses offer, in the order in which they ended: of JSON bodies every dynamic-looking
 * value that a request may send (`all`: or not), of all else what requests are known to send.
 * Each extractor is tried on the recorded response first.
 * Returns the calls whose page exceeds a limit, so that its inputs and meta tags were not read.
 */
export function collectCandidates(
  drafts: readonly Draft[],
  sent: RequestValues,
  all: boolean,
  give: (candidate: Candidate) => void,
): Draft[] {
  const unread: Draft[] = [];
  const sought = new ValueIndex();
  for (const value of sent.sought.keys()) sought.add(value);
  const encodings = indexEncodings(sent);
  const encoded = new PrefilteredSet();
  for (const source of encodings.keys()) encoded.add(source);
  const isWanted = (value: string) => all || sent.mayHold(value) || encoded.has(value);
  const trial = new Trial();
  const giveProven = (candidate: Candidate) => {
    const proven = trial.proven(candidate);
    if (proven !== undefined) give(proven);
  };
  for (const draft of byEnd(drafts)) {
    const { text, mimeType } = draft.exchange.response;
    const body = text === undefined ? undefined : parseJsonBody(text, mimeType);
    trial.load(draft, text, body);
    if (body !== undefined) {
      jsonCandidates(draft, body, isWanted, (candidate) => {
        giveProven(candidate);
        for (const encoded of encodedCandidates(candidate, encodings)) giveProven(encoded);
      });
    } else if (text !== undefined && !htmlCandidates(draft, text, sent, sought, giveProven)) {
      unread.push(draft);
    }
    headerCandidates(draft, sent, giveProven);
    cookieCandidates(draft, sent, giveProven);
  }
  return unread;
}

function byEnd(drafts: readonly Draft[]): Draft[] {
  return drafts.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}
