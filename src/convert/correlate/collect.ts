import type { Candidate } from "./candidate.ts";
import { cookieCandidates } from "./cookie_source.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { encodedCandidates, indexEncodings } from "./encoded_source.ts";
import { headerCandidates } from "./header_source.ts";
import { htmlCandidates } from "./html_source.ts";
import { jsonCandidates, parseJsonBody } from "./json_source.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import type { RequestValues } from "./request_values.ts";
import { Trial } from "./trial.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";

/**
 * Passes the candidates of all responses to `add`, in the order in which the responses ended. From JSON
 * bodies, collects every dynamic-looking value that a request may send; with `all`, also unsent ones.
 * From other sources, collects only values that requests send. Tests each extractor on the recorded
 * response first, and skips the value if it fails. Returns the calls whose page exceeds a markup limit;
 * the inputs and meta tags of these pages were not read.
 */
export function collectCandidates(
  calls: readonly RecordedCall[],
  sent: RequestValues,
  all: boolean,
  add: (candidate: Candidate) => void,
): RecordedCall[] {
  const unread: RecordedCall[] = [];
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
  for (const call of byEnd(calls)) {
    const { text, mimeType } = call.exchange.response;
    const body = text === undefined ? undefined : parseJsonBody(text, mimeType);
    trial.load(call, text, body);
    if (body !== undefined) {
      jsonCandidates(call, body, isWanted, (candidate) => {
        addTested(candidate);
        for (const encoded of encodedCandidates(candidate, encodings)) addTested(encoded);
      });
    } else if (text !== undefined && !htmlCandidates(call, text, sent, sought, addTested)) {
      unread.push(call);
    }
    headerCandidates(call, sent, addTested);
    cookieCandidates(call, sent, addTested);
  }
  return unread;
}

function byEnd(calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}
