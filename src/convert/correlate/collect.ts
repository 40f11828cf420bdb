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
 * Passes the candidates of all responses to `add`, in the order in which the responses ended. From JSON
 * bodies, collects every dynamic-looking value that a request may send; with `all`, also unsent ones.
 * From other sources, collects only values that requests send. Tests each extractor on the recorded
 * response first, and skips the value if it fails. Returns the calls whose page exceeds a markup limit;
 * the inputs and meta tags of these pages were not read.
 */
export function collectCandidates(
  drafts: readonly Draft[],
  sent: RequestValues,
  all: boolean,
  add: (candidate: Candidate) => void,
): Draft[] {
  const unread: Draft[] = [];
  const sought = new ValueIndex();
  for (const value of sent.sought.keys()) sought.add(value);
  const encodings = indexEncodings(sent);
  const encoded = new PrefilteredSet();
  for (const source of encodings.keys()) encoded.add(source);
  const isWanted = (value: string) => all || sent.mayHold(value) || encoded.has(value);
  const trial = new Trial();
  const addTested = (candidate: Candidate) => {
    const tested = trial.test(candidate);
    if (tested !== undefined) add(tested);
  };
  for (const draft of byEnd(drafts)) {
    const { text, mimeType } = draft.exchange.response;
    const body = text === undefined ? undefined : parseJsonBody(text, mimeType);
    trial.load(draft, text, body);
    if (body !== undefined) {
      jsonCandidates(draft, body, isWanted, (candidate) => {
        addTested(candidate);
        for (const encoded of encodedCandidates(candidate, encodings)) addTested(encoded);
      });
    } else if (text !== undefined && !htmlCandidates(draft, text, sent, sought, addTested)) {
      unread.push(draft);
    }
    headerCandidates(draft, sent, addTested);
    cookieCandidates(draft, sent, addTested);
  }
  return unread;
}

function byEnd(drafts: readonly Draft[]): Draft[] {
  return drafts.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}
