import { plural } from "../../base/format.ts";
import type { KeptUse } from "../../correlation/assign.ts";
import type { Decision } from "../../correlation/correlate.ts";
import { describePlace } from "../../correlation/explanation.ts";
import type { Use } from "../../correlation/pieces.ts";
import { writtenExpression } from "../../correlation/replace.ts";
import { describeOccurrence } from "../../correlation/source_kinds.ts";
import type { Offer, Variable } from "../../correlation/variable.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";

/**
 * Returns the notes on extracted values, suggested extractors, and values that stay as recorded.
 */
export function* correlationNotes(facts: HarFacts): Generator<HarNote> {
  const { variables, offers, overlaps, decisions } = facts.correlation;
  for (const variable of variables) yield correlated(variable, facts);
  for (const variable of variables) {
    for (const usage of variable.left) {
      if (usage.why === "encoded") yield leftEncoded(usage, variable, facts);
    }
  }
  for (const variable of offers) yield offered(variable, facts);
  for (const variable of overlaps) yield overlapping(variable, facts);
  // `leftEncoded` and `offered` report the encoded usages of each decision.
  for (const decision of decisions) {
    for (const usage of decision.left) {
      if (usage.why === "after a dollar") yield afterDollar(usage, decision, facts);
    }
  }
  yield* keptLiterals(facts);
}

function correlated({ extractor, candidate, sent }: Variable, { nameOf }: HarFacts): HarNote {
  const requests = sent.length < 2 ? sent.length : new Set(sent.map(({ call }) => call)).size;
  return {
    code: "correlation",
    subject: extractor.name,
    message:
      `\`\${${extractor.name}}\` is extracted from ${describePlace(candidate.located)} of the ` +
      `response to ${nameOf(candidate.producer)} and used by ${plural(requests, "later request")}`,
  };
}

function offered(variable: Offer, { nameOf }: HarFacts): HarNote {
  const { extractor, candidate, source, sent } = variable;
  return {
    code: `${source}-value`,
    subject: extractor.name,
    message:
      `a dynamic value ${describeOccurrence(source, candidate)} and is sent as recorded in ${
        placesText(sent, nameOf)
      }; ` +
      `${suggestExtractor(variable, nameOf)}, or convert with \`--correlate ${source}\``,
  };
}

/**
 * Returns a warning about an occurrence of a variable's value that the plan does not replace,
 * because the request contains it percent-encoded or within base64.
 */
function leftEncoded(usage: KeptUse, variable: Variable, { nameOf }: HarFacts): HarNote {
  const how = usage.field instanceof Base64Field ? "within base64" : "percent-encoded";
  return {
    code: "encoded-value",
    subject: variable.extractor.name,
    message: `the value is also sent ${how}, as recorded, in ${describeUsage(usage, nameOf)}; ` +
      `write \`${formatExpression(writtenExpression(usage, variable))}\` there, or convert with ` +
      "`--correlate encoded`",
  };
}

function overlapping(variable: Variable, { nameOf }: HarFacts): HarNote {
  const { extractor, candidate, sent } = variable;
  return {
    code: "overlapping-value",
    subject: extractor.name,
    message: `a value from the response to ${nameOf(candidate.producer)} is sent as recorded in ` +
      `${
        placesText(sent, nameOf)
      }, because by the recording's clock it was first sent before that ` +
      `response ended; if it comes from that response, ${suggestExtractor(variable, nameOf)}`,
  };
}

function suggestExtractor(variable: Variable, nameOf: HarFacts["nameOf"]): string {
  const { extractor, candidate, sent } = variable;
  const expression = formatExpression(writtenExpression(sent[0], variable));
  const step = candidate.producer.exchange.socketPart === "receive" ? "the `expect` step for " : "";
  return `add \`extract: [${JSON.stringify(extractor)}]\` to ${step}${
    nameOf(candidate.producer)
  } and ` +
    `replace the value with \`${expression}\``;
}

function placesText(sent: Variable["sent"], nameOf: HarFacts["nameOf"]): string {
  return listed(sent.map((sending) => describeUsage(sending, nameOf)));
}

/**
 * Returns a warning about a use of a value that the plan leaves as recorded because it follows a
 * `$`, even if the plan replaces other uses of the same value.
 */
function afterDollar(
  usage: KeptUse,
  { candidate, variable }: Decision,
  { nameOf }: HarFacts,
): HarNote {
  return {
    code: "after-dollar",
    subject: variable ?? candidate!.key,
    message: `a dynamic value from the response to ${nameOf(candidate!.producer)} directly ` +
      `follows a \`$\` in ${describeUsage(usage, nameOf)}, so it is sent as recorded; replace ` +
      "both with a variable whose value includes the `$`",
  };
}

/** Minimum length of a value that is reported, in UTF-16 code units. */
const SHORTEST = 4;
/**
 * Minimum number of digits of a number that is reported. Shorter numbers often match by
 * coincidence.
 */
const SHORTEST_NUMBER = 5;

/**
 * Returns a warning for each field of a later request that still contains the recorded value of a
 * variable, for example within prose. Omits occurrences that another warning covers.
 */
function* keptLiterals(
  { calls, correlation, replacements, nameOf }: HarFacts,
): Generator<HarNote> {
  const variables = new Map<string, Variable>();
  const index = new ValueIndex(SHORTEST);
  for (const variable of correlation.variables) {
    const { value } = variable.candidate;
    if (!/\d/.test(value)) continue;
    if (/^\d*$/.test(value) && value.length < SHORTEST_NUMBER) continue;
    variables.set(value, variable);
    index.add(value);
  }
  if (index.isEmpty) return;
  // Values of headers that contain none of `variables`. Most headers are the same in many calls.
  const without = new Set<string>();
  const covers = (field: RequestField, start: number, end: number) => {
    const [from, to] = field.recordedRange(start, end);
    return replacements.of(field).some((one) => one.start < to && from < one.end);
  };
  const isReplaced = (field: RequestField) =>
    replacements.of(field).some(({ start, end }) => end - start === field.recorded.length);
  for (const call of calls) {
    for (const field of call.fields) {
      if (field.kind === "header" && without.has(field.value)) continue;
      if (isReplaced(field)) continue;
      const found = index.find(field.value);
      if (found.length === 0) {
        if (field.kind === "header") without.add(field.value);
        continue;
      }
      const reported: string[] = [];
      for (const { value, start, end } of found) {
        const { candidate, extractor, left } = variables.get(value)!;
        const isLater = call.order > candidate.producer.order;
        if (!isLater || reported.includes(value) || covers(field, start, end)) continue;
        const isSame = (usage: Use) => usage.field === field && usage.start === start;
        if (left.some(isSame)) continue;
        reported.push(value);
        yield {
          code: "kept-literal",
          subject: extractor.name,
          message: `the recorded value of \`\${${extractor.name}}\` is still sent in ${
            describeUsage({ call, field }, nameOf)
          }; write \`\${${extractor.name}}\` there, unless the match is a coincidence`,
        };
      }
    }
  }
}

/**
 * Describes where a request sends a value, for use in a note, such as
 * `query page of request 3 (GET /orders)`.
 */
function describeUsage(
  { call, field }: Pick<Use, "call" | "field">,
  nameOf: HarFacts["nameOf"],
): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

/** Describes a field of a request, such as `query page`. */
function describeField({ kind, name, value }: RequestField): string {
  const shown = kind === "name" ? value : name;
  return `${kind}${shown && ` ${shown}`}`;
}

/** The location of a value in a recorded request. */
export interface CallPlace {
  /** One-based index of the entry in the HAR. */
  readonly entry: number;
  readonly place: string;
}

/**
 * A value for which the plan sends the recorded text, although it could extract the value from a
 * response. Contains recorded text, including credentials.
 */
export interface OpenValue {
  readonly value: string;
  /** One-based index of the HAR entry whose response contains the value. */
  readonly producer: number;
  readonly to: readonly CallPlace[];
  readonly extractor: Extractor;
  /** Template that can replace the value in the plan. */
  readonly write: string;
  /** Why the plan does not extract the value. */
  readonly reason: string;
}

/** Lists the values for which the plan sends the recorded text, although it could extract them. */
export function openValues({ correlation: { offers, overlaps } }: HarFacts): OpenValue[] {
  return [
    ...offers.map((offer) =>
      openValue(
        offer,
        `it ${
          describeOccurrence(offer.source, offer.candidate)
        }; \`--correlate ${offer.source}\` ` +
          "extracts it",
      )
    ),
    ...overlaps.map((variable) =>
      openValue(
        variable,
        "by the recording's clock, it was first sent before the end of the response that contains it",
      )
    ),
  ];
}

function openValue({ extractor, candidate, sent }: Variable, reason: string): OpenValue {
  const variable = { candidate, extractor };
  return {
    value: candidate.value,
    producer: entryOf(candidate.producer),
    to: sent.map(({ call, field }) => ({ entry: entryOf(call), place: describeField(field) })),
    extractor,
    write: formatExpression(writtenExpression(sent[0], variable)),
    reason,
  };
}

function entryOf({ exchange }: RecordedCall): number {
  return exchange.index + 1;
}
