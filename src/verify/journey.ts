import { type Source, SOURCES } from "../convert/correlate/candidate.ts";
import { correlate, type Variable } from "../convert/correlate/correlate.ts";
import type { Sending } from "../convert/correlate/decision.ts";
import { type Draft, draftsOf } from "../convert/correlate/draft.ts";
import type { Slot } from "../convert/correlate/slot.ts";
import { keptCalls } from "../convert/har/kept_calls.ts";
import { keptHeaders } from "../convert/har/kept_headers.ts";
import { sortRedirects } from "../convert/har/redirects.ts";
import { requestName } from "../convert/har/request.ts";
import type { Exchange } from "../traffic/har/exchange.ts";
import { mostCommonOrigin } from "../traffic/har/origin.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { plainOf } from "./forms.ts";
import { sessionCookies } from "./session_cookies.ts";

const ALL: ReadonlySet<Source> = new Set(SOURCES);

/** A value that the server made, where a later request sends it. */
export interface Use extends Sending {
  readonly variable: Variable;
  /** The value as a response holds it. */
  readonly plain: string;
}

/** A recorded session as the stand-in plays its server and the judge looks at its client. */
export interface Journey {
  /** The calls that a plan is expected to make, in order. */
  readonly calls: readonly Draft[];
  /** The origin to which most of them went. */
  readonly origin: string;
  /** What the server makes anew, plain, by the call that answers with it first. */
  readonly made: ReadonlyMap<Draft, ReadonlySet<string>>;
  /** The values of session cookies among them, with the call that sets each. */
  readonly cookies: ReadonlyMap<string, Draft>;
  /** Where requests send what the server made, in the order in which it stands in each slot. */
  readonly uses: ReadonlyMap<Slot, readonly Use[]>;
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
export function journeyOf({ exchanges }: Recording): Journey | undefined {
  const { exchanges: kept } = keptCalls(exchanges, undefined);
  const origin = mostCommonOrigin(kept.map(({ request }) => request.url));
  if (origin === undefined) return undefined;
  const calls = draftsOf(kept, keptHeaders);
  const { variables } = correlate(calls, { sources: ALL, explain: false });
  const cookies = sessionCookies(calls, variables);
  const { followed } = sortRedirects(calls, () => false);
  const nameOf = (call: Draft) => `request ${call.order + 1} (${requestName(call)})`;
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  return {
    calls,
    origin,
    made: madeBy(variables, cookies),
    cookies,
    uses: Map.groupBy(inOrder(variables.flatMap(usesOf)), ({ slot }) => slot),
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

function usesOf(variable: Variable): Use[] {
  const plain = plainValue(variable);
  return variable.sent.map((sending) => ({ ...sending, variable, plain }));
}

function inOrder(uses: readonly Use[]): Use[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function plainValue({ extractor, candidate }: Variable): string {
  return plainOf(candidate.value, extractor.transform);
}
