import type { Candidate } from "./candidate.ts";
import type { Draft } from "./draft.ts";
import type { RequestField } from "./request_field.ts";

/** Why a usage keeps the recorded value, although a variable has it. */
export type Obstacle = "other type" | "after a dollar" | "encoded";

/** The outcome for a value: correlated, offered, or why not. */
export type DecisionReason =
  | "correlated"
  | "offered"
  | "not sent"
  | "client's own"
  | "overlap"
  | "short number"
  | "other type"
  | "after a dollar"
  | "no source";

/** The decision on one dynamic-looking value. */
export interface Decision {
  readonly value: string;
  readonly verdict: DecisionReason;
  /** Where the value was, or could be, extracted from; undefined if no response contains it. */
  readonly candidate: Candidate | undefined;
  /** Name of the variable; undefined unless the value is correlated, offered or overlapping. */
  readonly variable: string | undefined;
  /** Usages in requests; for `client's own` also those before the response. */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value, each with the obstacle. */
  readonly left: readonly KeptSending[];
}

/** An occurrence of a value in a request. */
export interface Usage {
  readonly draft: Draft;
  readonly slot: RequestField;
  /** Offset of the first character in the field's value; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** A usage that keeps the recorded value. */
export interface KeptSending extends Usage {
  readonly why: Obstacle;
}
