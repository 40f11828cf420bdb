import { formatMs, plural } from "../../base/format.ts";
import type { KeptUse } from "../../correlation/assign.ts";
import type { Decision } from "../../correlation/correlate.ts";
import { describePlace } from "../../correlation/explanation.ts";
import type { Use } from "../../correlation/pieces.ts";
import { writtenExpression } from "../../correlation/replace.ts";
import { describeOccurrence } from "../../correlation/source_kinds.ts";
import type { Offer, Variable } from "../../correlation/variable.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { NoteFacts } from "./facts.ts";

/** Returns the notes on the values, streams and repeated requests of the plan. */
export function* planNotes(facts: NoteFacts): Generator<HarNote> {
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
  yield* streamNotes(facts);
  yield* pollNotes(facts);
}

function correlated({ extractor, candidate, sent }: Variable, { nameOf }: NoteFacts): HarNote {
  const requests = sent.length < 2 ? sent.length : new Set(sent.map(({ call }) => call)).size;
  return {
    code: "correlation",
    subject: extractor.name,
    message:
      `\`\${${extractor.name}}\` is extracted from ${describePlace(candidate.located)} of the ` +
      `response to ${nameOf(candidate.producer)} and used by ${plural(requests, "later request")}`,
  };
}

function offered(variable: Offer, { nameOf }: NoteFacts): HarNote {
  const { extractor, candidate, source, sent } = variable;
  return {
    code: `${source}-value`,
    subject: extractor.name,
    message:
      `a dynamic value ${
        describeOccurrence(source, candidate.located)
      } and is sent as recorded in ${placesText(sent, nameOf)}; ` +
      `${suggestExtractor(variable, nameOf)}, or convert with \`--correlate ${source}\``,
  };
}

/**
 * Returns a warning about an occurrence of a variable's value that the plan does not replace,
 * because the request contains it percent-encoded or within base64.
 */
function leftEncoded(usage: KeptUse, variable: Variable, { nameOf }: NoteFacts): HarNote {
  const how = usage.field instanceof Base64Field ? "within base64" : "percent-encoded";
  return {
    code: "encoded-value",
    subject: variable.extractor.name,
    message: `the value is also sent ${how}, as recorded, in ${describeUsage(usage, nameOf)}; ` +
      `write \`${formatExpression(writtenExpression(usage, variable))}\` there, or convert with ` +
      "`--correlate encoded`",
  };
}

function overlapping(variable: Variable, { nameOf }: NoteFacts): HarNote {
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

function suggestExtractor(variable: Variable, nameOf: NoteFacts["nameOf"]): string {
  const { extractor, candidate, sent } = variable;
  const expression = formatExpression(writtenExpression(sent[0], variable));
  const step = candidate.producer.exchange.socketPart === "receive" ? "the `expect` step for " : "";
  return `add \`extract: [${JSON.stringify(extractor)}]\` to ${step}${
    nameOf(candidate.producer)
  } and ` +
    `replace the value with \`${expression}\``;
}

function placesText(sent: Variable["sent"], nameOf: NoteFacts["nameOf"]): string {
  return listed(sent.map((sending) => describeUsage(sending, nameOf)));
}

/**
 * Returns a warning about a use of a value that the plan leaves as recorded because it follows a
 * `$`, even if the plan replaces other uses of the same value.
 */
function afterDollar(
  usage: KeptUse,
  { candidate, variable }: Decision,
  { nameOf }: NoteFacts,
): HarNote {
  return {
    code: "after-dollar",
    subject: variable ?? candidate!.key,
    message: `a dynamic value from the response to ${nameOf(candidate!.producer)} directly ` +
      `follows a \`$\` in ${describeUsage(usage, nameOf)}, so it is sent as recorded; replace ` +
      "both with a variable whose value includes the `$`",
  };
}

function describeUsage(
  { call, field }: Pick<Use, "call" | "field">,
  nameOf: NoteFacts["nameOf"],
): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

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
export function openValues(
  { correlation: { offers, overlaps } }: Pick<NoteFacts, "correlation">,
): OpenValue[] {
  return [
    ...offers.map((offer) =>
      openValue(
        offer,
        `it ${
          describeOccurrence(offer.source, offer.candidate.located)
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

function streamNotes({ streams, nameOf }: NoteFacts): HarNote[] {
  const read = [...streams].map(([call, { events }]): HarNote => {
    const recorded = events === undefined
      ? "the HAR does not contain the events"
      : `${plural(events, "event")} recorded`;
    return {
      code: "event-stream",
      subject: "sse",
      message: `${nameOf(call)} reads server-sent events (${recorded}) up to the limits under ` +
        "`sse`; the HAR does not show whether the server or the browser ended the stream",
    };
  });
  const overlapping = [...streams].filter(([, { overlaps }]) => overlaps);
  if (overlapping.length === 0) return read;
  const message =
    `the recorded user sent other calls while a stream of events was open: ${
      listed(overlapping.map(([call]) => nameOf(call)))
    }; the plan sends these calls after it has ended the stream, so put the stream and ` +
    "these calls into a `parallel` step if the server needs the open stream";
  return [...read, { code: "overlapping-stream", subject: "sse", message }];
}

function pollNotes({ polls, nameOf }: NoteFacts): HarNote[] {
  return [...new Set(polls.values())].map(({ calls, until, attempts, backoffMs }): HarNote => ({
    code: "polling",
    subject: "retry",
    message: `the browser sent ${nameOf(calls[0])} ${calls.length} times until ` +
      `\`${conditionName(until)}\` was true; the plan repeats the request until the condition is ` +
      `true, at most ${attempts} times, with pauses of ${formatMs(backoffMs)}`,
  }));
}
