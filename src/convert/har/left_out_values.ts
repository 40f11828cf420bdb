import type { Exchange } from "../../traffic/har/recording.ts";
import { percentDecodedText } from "../../traffic/session/call_url.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import type { Correlation } from "../../correlation/correlate.ts";

/** An excluded call and a kept request that contain the same dynamic value. */
export interface SharedValue {
  readonly exchange: Exchange;
  /** The first kept request that sends the shared value. */
  readonly sender: RecordedCall;
}

/**
 * Excluded calls that contain the same dynamic value as a kept request. `responses` lists the calls
 * with the value in the response, and `requests` those with the value in the request URL. Each list
 * contains a call at most once.
 */
export interface LeftOutValues {
  /** Excluded calls whose response contains a value that a later kept request sends unchanged. */
  readonly responses: readonly SharedValue[];
  /** Excluded calls whose request URL contains a value that a kept request also sends. */
  readonly requests: readonly SharedValue[];
}

/**
 * Finds the excluded calls that contain the same dynamic value as a kept request. The server may
 * create the value in response to such a call, which the plan does not send. `leftOut` contains the
 * excluded calls, and `calls` the kept calls.
 */
export function leftOutValues(
  leftOut: readonly Exchange[],
  calls: readonly RecordedCall[],
  { sought, variables, offers, overlaps }: Correlation,
): LeftOutValues {
  const http = leftOut.filter(({ request }) => /^https?:/i.test(request.url));
  if (http.length === 0) return { responses: [], requests: [] };
  // The source of these values is known: the response of a kept call.
  const known = new Set(
    [...variables, ...offers, ...overlaps].map(({ candidate }) => candidate.value),
  );
  const index = indexOf(sought);
  const unknown = indexOf(sought.filter((value) => !known.has(value)));
  const addValuesIn = (text: string, values: string[]) => {
    for (const { value } of index.find(text)) values.push(value);
  };
  const received = new ReceivedValues(unknown, addValuesIn);
  const found: { exchange: Exchange; received: readonly string[]; sent: readonly string[] }[] = [];
  // The same asset is often requested again.
  const sentIn = new Map<string, string[]>();
  for (const exchange of http) {
    const { url } = exchange.request;
    let sent = sentIn.get(url);
    if (sent === undefined) {
      sentIn.set(url, sent = []);
      addValuesIn(url, sent);
      if (url.includes("%")) addValuesIn(percentDecodedText(url, true), sent);
    }
    const values = received.of(exchange);
    if (values.length + sent.length > 0) found.push({ exchange, received: values, sent });
  }
  const senders = firstSenders(
    calls,
    new Set(found.flatMap(({ received, sent }) => [...received, ...sent])),
  );
  const shared = (
    exchange: Exchange,
    values: readonly string[],
    isShared: (value: string, sender: RecordedCall) => boolean,
  ): SharedValue[] => {
    const value = values.find((value) =>
      senders.has(value) && isShared(value, senders.get(value)!)
    );
    return value === undefined ? [] : [{ exchange, sender: senders.get(value)! }];
  };
  return {
    responses: found.flatMap(({ exchange, received }) =>
      shared(exchange, received, (value, sender) => !known.has(value) && isAfter(sender, exchange))
    ),
    requests: found.flatMap(({ exchange, sent }) => shared(exchange, sent, () => true)),
  };
}

/**
 * Maximum number of cached headers. The cache contains headers in which nothing was found, so that
 * equal headers need not be searched again.
 */
const MOST_UNUSED = 10_000;
/** Maximum length of a cached header value, in UTF-16 code units. */
const LONGEST_UNUSED = 256;
const NOTHING: readonly string[] = [];

/**
 * Searches the responses to excluded calls for the values that kept requests send. Most responses
 * contain none of them.
 */
class ReceivedValues {
  /**
   * Index of the values sent by kept requests, except the values that are known to come from the
   * response to a kept call. It is small, and therefore fast to search.
   */
  readonly #unknown: ValueIndex;
  readonly #addValuesIn: (text: string, values: string[]) => void;
  /**
   * Values of headers in which nothing from `#unknown` was found. Most headers are the same in many
   * responses.
   */
  readonly #unused = new Set<string>();

  constructor(unknown: ValueIndex, addValuesIn: (text: string, values: string[]) => void) {
    this.#unknown = unknown;
    this.#addValuesIn = addValuesIn;
  }

  of({ response }: Exchange): readonly string[] {
    if (this.#unknown.isEmpty) return NOTHING;
    let values: string[] | undefined;
    for (const { value } of response.headers) {
      if (!this.#unknown.mayBeIn(value) || this.#unused.has(value)) continue;
      if (this.#unknown.findAll(value).length > 0) this.#addValuesIn(value, values ??= []);
      else if (this.#unused.size < MOST_UNUSED && value.length <= LONGEST_UNUSED) {
        this.#unused.add(value);
      }
    }
    const { text } = response;
    if (text !== undefined && this.#unknown.findAll(text).length > 0) {
      this.#addValuesIn(text, values ??= []);
    }
    return values ?? NOTHING;
  }
}

function indexOf(values: Iterable<string>): ValueIndex {
  const index = new ValueIndex();
  for (const value of values) index.add(value);
  return index;
}

function firstSenders(
  calls: readonly RecordedCall[],
  values: ReadonlySet<string>,
): Map<string, RecordedCall> {
  const senders = new Map<string, RecordedCall>();
  if (values.size === 0) return senders;
  for (const call of calls) {
    for (const field of call.fields) {
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        if (values.has(value) && !senders.has(value)) senders.set(value, call);
      }
    }
  }
  return senders;
}

/**
 * Reports whether a request was sent after an exchange had ended. Allows a tolerance of 1 ms,
 * because recorders round times.
 */
function isAfter({ exchange: sender }: RecordedCall, { index, endedAt }: Exchange): boolean {
  return sender.startedAt + 1 >= endedAt && sender.index > index;
}
