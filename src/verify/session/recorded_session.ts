import {
  findServerValues,
  type ServerValue,
  type ServerValueUsage,
} from "../../convert/server_values.ts";
import type { Exchange } from "../../traffic/har/exchange.ts";
import { mostCommonOrigin } from "../../traffic/har/http_origin.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { keptCalls } from "../../traffic/session/kept_calls.ts";
import { keptHeaders } from "../../traffic/session/kept_headers.ts";
import { callName, type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import { sortRedirects } from "../../traffic/session/redirects.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { decodeSent } from "./forms.ts";
import { sessionCookies } from "./session_cookies.ts";

/** A server-generated value at a place where a later request sends it. */
export interface VariableUsage extends ServerValueUsage {
  readonly serverValue: ServerValue;
  /** Raw value, as in the response. */
  readonly rawValue: string;
}

/** A recorded session, as the mock server and the judge need it. */
export interface RecordedSession {
  /** The calls that a plan is expected to make, in order. */
  readonly calls: readonly RecordedCall[];
  /** Main origin: the origin of most calls. */
  readonly origin: string;
  /** Raw values that the server regenerates, by the call whose response contains each first. */
  readonly serverValues: ReadonlyMap<RecordedCall, ReadonlySet<string>>;
  /** Values of session cookies in `serverValues`, with the call that sets each. */
  readonly cookies: ReadonlyMap<string, RecordedCall>;
  /** Uses of server-generated values in requests, ordered by offset within each field. */
  readonly uses: ReadonlyMap<RequestField, readonly VariableUsage[]>;
  /** All recorded exchanges, including those that a plan omits. */
  readonly exchanges: readonly Exchange[];
  /** Redirects whose target is not a recorded call. */
  readonly externalRedirects: ReadonlySet<RecordedCall>;
  /** Returns the name of a call in reports: `request 4 (POST /orders)`. */
  nameOf(call: RecordedCall): string;
  /** Returns the name of any recorded exchange. */
  nameOfExchange(exchange: Exchange): string;
}

/** Converts a recording to a session; undefined if it has no calls to send. */
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

function listUses(serverValue: ServerValue): VariableUsage[] {
  const rawValue = rawValueOf(serverValue);
  return serverValue.usages.map((usage) => ({ ...usage, serverValue, rawValue }));
}

function inOrder(uses: readonly VariableUsage[]): VariableUsage[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function rawValueOf({ extractor, value }: ServerValue): string {
  return decodeSent(value, extractor.transform);
}
