import type { Extractor } from "../plan/kinds/extractors/extractors.ts";
import { formatExpression } from "../plan/text/template.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import { correlate } from "./correlate/correlate.ts";
import { expressionFor } from "./correlate/variables.ts";
import { OPTIONAL_SOURCES } from "./correlate/sources/source_kinds.ts";

/** A value in a recorded response that later requests send. */
export interface ServerValue {
  /** The value, encoded as requests send it. */
  readonly value: string;
  /** True if the extractor returns a number instead of a string. */
  readonly numeric: boolean;
  /** The call whose response contains the value. */
  readonly producer: RecordedCall;
  /** Extractor that reads the value from the response. */
  readonly extractor: Extractor;
  /** Places in later requests that contain the value. */
  readonly usages: readonly ServerValueUsage[];
}

/** A place in a request that contains a server value. */
export interface ServerValueUsage {
  readonly field: RequestField;
  /**
   * Start of the server value within the field's decoded value, in UTF-16 units. `end` is exclusive.
   */
  readonly start: number;
  readonly end: number;
  /** Expression that a plan sends instead of the value, such as `${url_encode(token)}`. */
  readonly write: string;
}

/** The values in a recording's responses that later requests send. */
export interface ServerValues {
  readonly values: readonly ServerValue[];
  /** Formats the recorded text of a field for display, with `${name}` in place of each server value. */
  shown(field: RequestField): string;
}

/** Finds all values that `convert --correlate all` would extract. */
export function findServerValues(calls: readonly RecordedCall[]): ServerValues {
  const { variables, replacements } = correlate(calls, {
    sources: new Set(OPTIONAL_SOURCES),
    explain: false,
  });
  return {
    values: variables.map((variable) => ({
      value: variable.candidate.value,
      numeric: variable.candidate.numeric,
      producer: variable.candidate.producer,
      extractor: variable.extractor,
      usages: variable.sent.map((usage) => ({
        field: usage.field,
        start: usage.start,
        end: usage.end,
        write: formatExpression(expressionFor(usage, variable)),
      })),
    })),
    shown: (field) => replacements.shown(field),
  };
}
