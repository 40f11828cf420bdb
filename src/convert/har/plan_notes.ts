import { formatMs, plural } from "../../base/format.ts";
import type { KeptUse } from "../../correlation/assign.ts";
import type { Correlation } from "../../correlation/correlate.ts";
import { describePlace } from "../../correlation/explanation.ts";
import type { Use } from "../../correlation/pieces.ts";
import { writtenExpression } from "../../correlation/replace.ts";
import type { Variable } from "../../correlation/variable.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { listed, listing, type Note } from "../notes/notes.ts";
import type { NoteFacts } from "./facts.ts";

type NameOf = NoteFacts["nameOf"];

export function* planNotes(facts: NoteFacts): Generator<Note | undefined> {
  const { correlation: { variables, offers, overlaps, decisions }, nameOf } = facts;
  for (const { extractor: { name }, candidate, sent } of variables) {
    const requests = new Set(sent.map(({ call }) => call)).size;
    yield {
      code: "correlation",
      subject: name,
      message: `\`\${${name}}\` is extracted from ${describePlace(candidate.located)} of the ` +
        `response to ${nameOf(candidate.producer)} and used by ` +
        plural(requests, "later request"),
    };
  }
  for (const variable of variables) {
    for (const use of variable.left.filter(({ why }) => why === "encoded")) {
      yield leftEncoded(use, variable, nameOf);
    }
  }
  for (const offer of offers) {
    const { extractor, candidate } = offer;
    yield {
      code: "excluded-value",
      subject: extractor.name,
      message: `a dynamic value from ${describePlace(candidate.located)} of the response to ` +
        `${nameOf(candidate.producer)} is sent as recorded in ${placesText(offer, nameOf)}; ` +
        `${suggestExtractor(offer, nameOf)}, or convert without \`--correlate json\``,
    };
  }
  for (const variable of overlaps) {
    yield {
      code: "overlapping-value",
      subject: variable.extractor.name,
      message: `a value from the response to ${nameOf(variable.candidate.producer)} is sent as ` +
        `recorded in ${placesText(variable, nameOf)}, because by the recording's clock it was ` +
        "first sent before that response ended; if it comes from that response, " +
        suggestExtractor(variable, nameOf),
    };
  }
  for (const { candidate, extractor, left } of decisions) {
    for (const use of left.filter(({ why }) => why === "after a dollar")) {
      yield {
        code: "after-dollar",
        subject: extractor?.name ?? candidate!.key,
        message: `a dynamic value from the response to ${nameOf(candidate!.producer)} directly ` +
          `follows a \`$\` in ${describeUse(use, nameOf)}, so it is sent as recorded; replace ` +
          "both with a variable whose value includes the `$`",
      };
    }
  }
  yield* streamNotes(facts);
  for (const { calls, until, attempts, backoffMs } of new Set(facts.polls.values())) {
    yield {
      code: "polling",
      subject: "retry",
      message: `the browser sent ${nameOf(calls[0])} ${calls.length} times until ` +
        `\`${conditionName(until)}\` was true; the plan repeats the request until the condition ` +
        `is true, at most ${attempts} times, with pauses of ${formatMs(backoffMs)}`,
    };
  }
}

/** For a value of a variable that a request contains percent-encoded or within base64. */
function leftEncoded(use: KeptUse, variable: Variable, nameOf: NameOf): Note {
  const how = use.field instanceof Base64Field ? "within base64" : "percent-encoded";
  return {
    code: "excluded-value",
    subject: variable.extractor.name,
    message: `the value is also sent ${how}, as recorded, in ${describeUse(use, nameOf)}; ` +
      `write \`${formatExpression(writtenExpression(use, variable))}\` there, or convert without ` +
      "`--correlate json`",
  };
}

function* streamNotes({ streams, nameOf }: NoteFacts): Generator<Note | undefined> {
  for (const [call, { events }] of streams) {
    const recorded = events === undefined
      ? "the HAR does not contain the events"
      : `${plural(events, "event")} recorded`;
    yield {
      code: "event-stream",
      subject: "sse",
      message: `${nameOf(call)} reads server-sent events (${recorded}) up to the limits under ` +
        "`sse`; the HAR does not show whether the server or the browser ended the stream",
    };
  }
  const overlapping = [...streams].filter(([, { overlaps }]) => overlaps);
  yield listing(
    "overlapping-stream",
    "sse",
    "the recorded user sent other calls while a stream of events was open; the plan sends them " +
      "after the stream",
    overlapping.map(([call]) => nameOf(call)),
  );
}

function suggestExtractor(variable: Variable, nameOf: NameOf): string {
  const { extractor, candidate: { producer }, sent } = variable;
  const expression = formatExpression(writtenExpression(sent[0], variable));
  const step = producer.exchange.socketPart === "receive" ? "the `expect` step for " : "";
  return `add \`extract: [${JSON.stringify(extractor)}]\` to ${step}${nameOf(producer)} and ` +
    `replace the value with \`${expression}\``;
}

function placesText({ sent }: Variable, nameOf: NameOf): string {
  return listed(sent.map((use) => describeUse(use, nameOf)));
}

function describeUse({ call, field }: Pick<Use, "call" | "field">, nameOf: NameOf): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

function describeField({ kind, name, value }: RequestField): string {
  const shown = kind === "name" ? value : name;
  return `${kind}${shown && ` ${shown}`}`;
}

/** A value that is sent as recorded, although it could be extracted. May be a credential. */
export interface OpenValue {
  readonly value: string;
  readonly producer: number;
  readonly to: readonly { readonly entry: number; readonly place: string }[];
  readonly extractor: Extractor;
  readonly write: string;
  readonly reason: string;
}

export function openValues({ offers, overlaps }: Correlation): OpenValue[] {
  const early =
    "by the recording's clock, it was first sent before the end of the response that contains it";
  return [
    ...offers.map((offer) => openValue(offer, "`--correlate json` excludes it")),
    ...overlaps.map((variable) => openValue(variable, early)),
  ];
}

function openValue(variable: Variable, reason: string): OpenValue {
  const { value, extractor, candidate, sent } = variable;
  return {
    value,
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
