import type { Extractor } from "../../plan/kinds/extractors.ts";
import { formatExpression } from "../../plan/text/template.ts";
import type { Variable } from "../../correlation/variable.ts";
import { writtenExpression } from "../../correlation/replace.ts";
import { describeOccurrence } from "../../correlation/source_kinds.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { describeField } from "./kept_literals.ts";
import type { HarFacts } from "./facts.ts";

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
