import {
  findServerValues,
  type ServerValue,
  type ServerValueUsage,
} from "../../convert/server_values.ts";
import { mostCommonOrigin } from "../../traffic/har/http_origin.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { dynamicBy, isOpaque } from "../../traffic/session/dynamic_value.ts";
import { keptCalls, keptHeaders } from "../../traffic/session/kept_calls.ts";
import { percentDecodedText } from "../../traffic/session/percent_decode.ts";
import { callName, type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import { sortRedirects } from "../../traffic/session/redirects.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { parseSetCookies } from "../../traffic/session/set_cookies.ts";
import { SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";
import { decodeSent } from "./value_encodings.ts";

/** A place in a request that contains a server-generated value, and that value without encoding. */
export interface RawUsage extends ServerValueUsage {
  readonly serverValue: ServerValue;
  /** The value without encoding, as the response contains it. */
  readonly rawValue: string;
}

/** A recorded session with the values that the mock server regenerates. */
export interface RecordedSession {
  /** The calls that a plan is expected to send, in order. */
  readonly calls: readonly RecordedCall[];
  /** Main origin, which is the origin of most calls. */
  readonly origin: string;
  /**
   * Values that the mock server regenerates, without encoding, keyed by the first call whose
   * response contains them.
   */
  readonly serverValues: ReadonlyMap<RecordedCall, ReadonlySet<string>>;
  /** Calls that set session cookies, keyed by cookie value. All keys are in `serverValues`. */
  readonly cookies: ReadonlyMap<string, RecordedCall>;
  /** Usages of server-generated values, keyed by field and in the order of their offsets. */
  readonly uses: ReadonlyMap<RequestField, readonly RawUsage[]>;
  /** All recorded exchanges, including those that a plan omits. */
  readonly exchanges: readonly Exchange[];
  /** Recorded redirects whose target is not a recorded call. */
  readonly externalRedirects: ReadonlySet<RecordedCall>;
  /** Returns the name of a call in reports, such as `request 4 (POST /orders)`. */
  nameOf(call: RecordedCall): string;
  /** Returns the name of a recorded exchange in reports, whether or not a plan sends it. */
  nameOfExchange(exchange: Exchange): string;
}

/**
 * Converts a recording to a session. Returns undefined if the recording has no calls that a plan sends.
 */
export function readSession({ exchanges }: Recording): RecordedSession | undefined {
  const { exchanges: kept } = keptCalls(exchanges, undefined);
  const origin = mostCommonOrigin(kept.map(({ request }) => request.url));
  if (origin === undefined) return undefined;
  const calls = splitCalls(kept, keptHeaders);
  const { values, shown } = findServerValues(calls);
  const cookies = sessionCookies(calls, values);
  const { followed } = sortRedirects(calls, () => false);
  const nameOf = (call: RecordedCall) => callName(call, shown);
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  return {
    calls,
    origin,
    serverValues: valuesByProducer(values, cookies),
    cookies,
    uses: Map.groupBy(inOrder(values.flatMap(listUses)), ({ field }) => field),
    exchanges,
    externalRedirects: followed,
    nameOf,
    nameOfExchange: (exchange) => {
      const call = byExchange.get(exchange);
      return call ? nameOf(call) : `${exchange.request.method} ${exchange.request.url}`;
    },
  };
}

function valuesByProducer(
  serverValues: readonly ServerValue[],
  cookies: ReadonlyMap<string, RecordedCall>,
): Map<RecordedCall, Set<string>> {
  const values = new Map<RecordedCall, Set<string>>();
  const add = (producer: RecordedCall, rawValue: string) =>
    values.set(producer, (values.get(producer) ?? new Set()).add(rawValue));
  for (const value of serverValues) add(value.producer, rawValueOf(value));
  for (const [value, producer] of cookies) add(producer, value);
  return values;
}

function listUses(serverValue: ServerValue): RawUsage[] {
  const rawValue = rawValueOf(serverValue);
  return serverValue.usages.map((usage) => ({ ...usage, serverValue, rawValue }));
}

function inOrder(uses: readonly RawUsage[]): RawUsage[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function rawValueOf({ extractor, value }: ServerValue): string {
  return decodeSent(value, extractor.transform);
}

/**
 * Maps the value of each server-generated cookie, as in `Set-Cookie`, to the first call that sets it.
 * Omits values that requests also send in other fields, because these are variables or come from the
 * client.
 */
function sessionCookies(
  calls: readonly RecordedCall[],
  serverValues: readonly ServerValue[],
): Map<string, RecordedCall> {
  const elsewhere = new Set([
    ...calls.flatMap(({ fields }) => fields.map(({ value }) => value)),
    ...serverValues.map(({ value }) => value),
  ]);
  const cookies = new Map<string, RecordedCall>();
  for (const call of calls) {
    for (const [name, value] of parseSetCookies(call.exchange.response)) {
      const isMade = value.length >= SHORTEST_WITHIN && (dynamicBy(name, value) || isOpaque(value));
      if (!isMade || elsewhere.has(value) || cookies.has(value)) continue;
      if (!elsewhere.has(percentDecodedText(value, false))) cookies.set(value, call);
    }
  }
  return cookies;
}
