import { type Source, SOURCES } from "../../convert/correlate/candidate.ts";
import { correlate, type Variable } from "../../convert/correlate/correlate.ts";
import type { Usage } from "../../convert/correlate/decision.ts";
import { type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { keptCalls } from "../../traffic/session/kept_calls.ts";
import { keptHeaders } from "../../traffic/session/kept_headers.ts";
import { sortRedirects } from "../../traffic/session/redirects.ts";
import { recordedRequestName } from "../../convert/har/plan_request.ts";
import type { Exchange } from "../../traffic/har/exchange.ts";
import { mostCommonOrigin } from "../../traffic/har/http_origin.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { decodeSent } from "./forms.ts";
import { sessionCookies } from "./session_cookies.ts";

const ALL: ReadonlySet<Source> = new Set(SOURCES);

/** A server-generated value at a place where a later request sends it. */
export interface VariableUsage extends Usage {
  readonly variable: Variable;
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
  const { variables } = correlate(calls, { sources: ALL, explain: false });
  const cookies = sessionCookies(calls, variables);
  const { followed } = sortRedirects(calls, () => false);
  const nameOf = (call: RecordedCall) => `request ${call.order + 1} (${recordedRequestName(call)})`;
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  return {
    calls,
    origin,
    serverValues: valuesByProducer(variables, cookies),
    cookies,
    uses: Map.groupBy(inOrder(variables.flatMap(listUses)), ({ field }) => field),
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
  variables: readonly Variable[],
  cookies: ReadonlyMap<string, RecordedCall>,
): Map<RecordedCall, Set<string>> {
  const values = new Map<RecordedCall, Set<string>>();
  const add = (producer: RecordedCall, rawValue: string) =>
    values.set(producer, (values.get(producer) ?? new Set()).add(rawValue));
  for (const variable of variables) add(variable.candidate.producer, rawValueOf(variable));
  for (const [value, producer] of cookies) add(producer, value);
  return values;
}

function listUses(variable: Variable): VariableUsage[] {
  const rawValue = rawValueOf(variable);
  return variable.sent.map((sending) => ({ ...sending, variable, rawValue }));
}

function inOrder(uses: readonly VariableUsage[]): VariableUsage[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function rawValueOf({ extractor, candidate }: Variable): string {
  return decodeSent(candidate.value, extractor.transform);
}
