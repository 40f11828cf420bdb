import { convertHar } from "../../src/convert/from_har.ts";
import { correlate } from "../../src/correlation/correlate.ts";
import { recordedStep } from "../../src/correlation/explain_pieces.ts";
import { OPTIONAL_SOURCES } from "../../src/correlation/source_kinds.ts";
import { recordedEntries } from "../../src/plan/text/metrics.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { isCallOf, withLiteral } from "../../src/plan/expressions/expression.ts";
import { joinTemplate, literal, parseTemplate } from "../../src/plan/text/template.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { callsOf } from "./fresh_label.ts";

/** A plan in which one extraction is replaced with the recorded value. */
export interface Mutant {
  /** The recorded value. */
  readonly value: string;
  /** Name of the variable that the recorded value replaces. */
  readonly name: string;
  readonly plan: Plan;
}

/** A variable of a plan, and the range of requests in which it contains the same value. */
interface Extraction {
  readonly name: string;
  readonly value: string;
  readonly numeric: boolean;
  /** Index of the request that extracts the value. */
  readonly from: number;
  /** Index of the last request before the variable gets a different value. */
  readonly to: number;
}

/**
 * Converts a recording, and returns a mutant of the plan for each extraction
 * that requests use.
 */
export function mutantsOf(recording: Recording): Mutant[] {
  const sources = new Set(OPTIONAL_SOURCES);
  const { plan } = convertHar(recording, {});
  const calls = callsOf(recording);
  const orders = new Map(calls.map(({ exchange, order }) => [exchange.index + 1, order]));
  const { variables } = correlate(calls.map(recordedStep), { sources, explain: false });
  return variables.filter(({ sent }) => sent.length > 0).map((variable) => {
    const { extractor: { name }, candidate: { value, numeric, producer } } = variable;
    const next = variables.filter((other) => other.extractor.name === name)
      .map(({ candidate }) => candidate.producer.order).filter((order) => order > producer.order);
    const extraction = { name, value, numeric, from: producer.order, to: Math.min(...next) };
    return { value, name, plan: withRecordedValue(plan, extraction, orders) };
  });
}

/**
 * Returns a copy of the plan in which the recorded value replaces an extraction. `orders` maps the
 * number of a HAR entry, from 1, to the index of its call.
 */
function withRecordedValue(
  plan: Plan,
  extraction: Extraction,
  orders: ReadonlyMap<number, number>,
): Plan {
  const copy: Plan = structuredClone(plan);
  const requests = Object.values(copy.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  requests.forEach((request, i) => {
    const own = recordedEntries(request).map((entry) => orders.get(entry)!);
    mutate(request, own.length === 0 ? [i] : own, extraction);
  });
  return copy;
}

/**
 * Removes the extractor from `request` if it is the request that extracts the value. In later
 * requests, up to `extraction.to`, replaces the variable with the recorded value. `orders` contains
 * the indexes of the calls that `request` replays.
 */
function mutate(request: Request, orders: readonly number[], extraction: Extraction): void {
  const { name, from, to } = extraction;
  if (orders.includes(from)) {
    request.extract = request.extract?.filter((extractor) => extractor.name !== name);
  }
  if (orders[0] <= from || orders[0] > to) return;
  for (const part of ["url", "headers", "body"] as const) {
    Object.assign(request, { [part]: mutateValue(request[part], extraction) });
  }
}

function mutateValue(value: unknown, extraction: Extraction): unknown {
  if (typeof value === "string") return mutateText(value, extraction);
  if (Array.isArray(value)) return value.map((item) => mutateValue(item, extraction));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      mutateText(key, extraction),
      mutateValue(member, extraction),
    ]),
  );
}

function mutateText(text: string, { name, value, numeric }: Extraction): unknown {
  const reference = `\${${name}}`;
  if (numeric && text === reference) return Number(value);
  return withLiteralInBase64(text, name, value).replaceAll(reference, () => literal(value))
    .replaceAll(`\${url_encode(${name})}`, () => encodeURIComponent(value));
}

/**
 * Replaces a variable with a literal in the expressions of a template that encode text in base64,
 * such as `base64(id + ":")`.
 */
export function withLiteralInBase64(text: string, name: string, value: string): string {
  if (!text.includes("base64(")) return text;
  const parts = parseTemplate(text).map((part) =>
    part.kind !== "text" && isCallOf("base64", part) ? withLiteral(part, name, value) : part
  );
  return joinTemplate(parts) ?? text;
}
