import { type Source, SOURCES } from "../convert/correlate/candidate.ts";
import { correlate, type Variable } from "../convert/correlate/correlate.ts";
import type { Usage } from "../convert/correlate/decision.ts";
import { buildDrafts, type Draft } from "../convert/correlate/draft.ts";
import type { RequestField } from "../convert/correlate/request_field.ts";
import { keptCalls } from "../convert/har/kept_calls.ts";
import { keptHeaders } from "../convert/har/kept_headers.ts";
import { sortRedirects } from "../convert/har/redirects.ts";
import { recordedRequestName } from "../convert/har/plan_request.ts";
import type { Exchange } from "../traffic/har/exchange.ts";
import { mostCommonOrigin } from "../traffic/har/http_origin.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { decodeSent } from "./forms.ts";
import { sessionCookies } from "./session_cookies.ts";

const ALL: ReadonlySet<Source> = new Set(SOURCES);

/** A value that the server made, where a later request sends it. */
export interface VariableUsage extends Usage {
  readonly variable: Variable;
  /** The value as a response holds it. */
  readonly plain: string;
}

/** A recorded session as the stand-in plays its server and the judge looks at its client. */
export interface RecordedSession {
  /** The calls that a plan is expected to make, in order. */
  readonly calls: readonly Draft[];
  /** The origin to which most of them went. */
  readonly origin: string;
  /** What the server makes anew, plain, by the call that answers with it first. */
  readonly made: ReadonlyMap<Draft, ReadonlySet<string>>;
  /** The values of session cookies among them, with the call that sets each. */
  readonly cookies: ReadonlyMap<string, Draft>;
  /** Where requests send what the server made, in the order in which it stands in each slot. */
  readonly uses: ReadonlyMap<RequestField, readonly VariableUsage[]>;
  /** All recorded exchanges, also those that a plan leaves out. */
  readonly exchanges: readonly Exchange[];
  /** Redirects to what the recording holds no call to. */
  readonly leadingOut: ReadonlySet<Draft>;
  /** What reports call a call: `request 4 (POST /orders)`. */
  nameOf(call: Draft): string;
  /** The same for any recorded exchange. */
  nameOfExchange(exchange: Exchange): string;
}

/** Reads a recording as a journey; undefined when no call is left of it. */
export function readSession({ exchanges }: Recording): RecordedSession | undefined {
  const { exchanges: kept } = keptCalls(exchanges, undefined);
  const origin = mostCommonOrigin(kept.map(({ request }) => request.url));
  if (origin === undefined) return undefined;
  const calls = buildDrafts(kept, keptHeaders);
  const { variables } = correlate(calls, { sources: ALL, explain: false });
  const cookies = sessionCookies(calls, variables);
  const { followed } = sortRedirects(calls, () => false);
  const nameOf = (call: Draft) => `request ${call.order + 1} (${recordedRequestName(call)})`;
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  return {
    calls,
    origin,
    made: madeBy(variables, cookies),
    cookies,
    uses: Map.groupBy(inOrder(variables.flatMap(listUses)), ({ slot }) => slot),
    exchanges,
    leadingOut: followed,
    nameOf,
    nameOfExchange: (exchange) => {
      const call = byExchange.get(exchange);
      return call ? nameOf(call) : `${exchange.request.method} ${exchange.request.url}`;
    },
  };
}

function madeBy(
  variables: readonly Variable[],
  cookies: ReadonlyMap<string, Draft>,
): Map<Draft, Set<string>> {
  const made = new Map<Draft, Set<string>>();
  const add = (producer: Draft, plain: string) =>
    made.set(producer, (made.get(producer) ?? new Set()).add(plain));
  for (const variable of variables) add(variable.candidate.producer, plainValue(variable));
  for (const [value, producer] of cookies) add(producer, value);
  return made;
}

function listUses(variable: Variable): VariableUsage[] {
  const plain = plainValue(variable);
  return variable.sent.map((sending) => ({ ...sending, variable, plain }));
}

function inOrder(uses: readonly VariableUsage[]): VariableUsage[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function plainValue({ extractor, candidate }: Variable): string {
  return decodeSent(candidate.value, extractor.transform);
}
