import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import { PrefilteredSet } from "../../traffic/session/prefiltered_set.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestValues } from "../../traffic/session/request_values.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { indexEncodings } from "./sources/encoded_source.ts";
import type { Candidate, WantedValues } from "./sources/source_search.ts";
import { SOURCES } from "./sources/sources.ts";
import { Trial } from "./trial.ts";

/**
 * Passes the candidates of all responses to `add`, in the order in which the responses ended. From JSON
 * bodies, collects every dynamic-looking value that a request may send, or every dynamic-looking value
 * if `all` is true. From other sources, collects only values that requests send. Skips a value if no
 * extractor returns it from the recorded response. Returns the calls whose page exceeds a markup limit,
 * so that its inputs and meta tags were not read.
 */
export function collectCandidates(
  calls: readonly RecordedCall[],
  sent: RequestValues,
  all: boolean,
  add: (candidate: Candidate) => void,
): RecordedCall[] {
  const wanted = wantedValues(sent, all);
  const searches = Object.values(SOURCES);
  const unread: RecordedCall[] = [];
  const trial = new Trial();
  const found = {
    add(candidate: Candidate) {
      const tested = trial.test(candidate);
      if (tested !== undefined) add(tested);
    },
    unreadMarkup: (call: RecordedCall) => unread.push(call),
  };
  for (const call of byEnd(calls)) {
    const { text, mimeType } = call.exchange.response;
    const json = text === undefined ? undefined : parseJsonResponse(text, mimeType);
    trial.load(call, text, json);
    for (const { search } of searches) search({ call, text, json }, wanted, found);
  }
  return unread;
}

function wantedValues(sent: RequestValues, all: boolean): WantedValues {
  const sought = new ValueIndex();
  for (const value of sent.sought.keys()) sought.add(value);
  const encodings = indexEncodings(sent);
  const encoded = new PrefilteredSet();
  for (const source of encodings.keys()) encoded.add(source);
  const mayBeSent = (value: string) => all || sent.mayHold(value) || encoded.has(value);
  return { sent, sought, encodings, mayBeSent };
}

function byEnd(calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}

/**
 * Collects the candidates for each value. The caller must add them in the order in which their
 * responses ended. For each value and source, keeps the candidate whose response ended first, and a
 * later one only if its call comes earlier in the plan. Ignores numbers of fewer than four digits
 * unless their field has the name of an id.
 */
export class CandidatePool {
  readonly #byValue = new Map<string, Candidate[]>();

  add(candidate: Candidate): void {
    if (isShortNumber(candidate.value) && !nameHint(candidate.key).idLike) return;
    const known = this.#byValue.get(candidate.value);
    if (known === undefined) this.#byValue.set(candidate.value, [candidate]);
    else if (!known.some((other) => precedes(other, candidate))) known.push(candidate);
  }

  has(value: string): boolean {
    return this.#byValue.has(value);
  }

  /** Iterates over the values and their candidates, in the order in which the values were added. */
  entries(): IterableIterator<[string, Candidate[]]> {
    return this.#byValue.entries();
  }

  values(): IterableIterator<string> {
    return this.#byValue.keys();
  }
}

function precedes(a: Candidate, b: Candidate): boolean {
  return a.source === b.source && a.producer.order <= b.producer.order;
}
