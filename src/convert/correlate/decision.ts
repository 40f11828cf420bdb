import type { Candidate } from "./candidate.ts";
import type { Draft } from "./draft.ts";
import type { RequestField } from "./request_field.ts";

/** Why a place keeps the recorded value, although a variable could hold it. */
export type Obstacle = "other type" | "after a dollar" | "encoded";

/** Why a value was correlated, or why not. */
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

/** What was decided about one dynamic-looking value. */
export interface Decision {
  readonly value: string;
  readonly verdict: DecisionReason;
  /** The response that it was, or could be, taken from; undefined when no response holds it. */
  readonly candidate: Candidate | undefined;
  /** The variable, of those that are correlated or offered. */
  readonly variable: string | undefined;
  /** Where requests send it: for `client's own` before the response as well. */
  readonly sent: readonly Usage[];
  /** Where requests keep it as recorded because something is in the way. */
  readonly left: readonly KeptSending[];
}

/** A place in a request that holds the value. */
export interface Usage {
  readonly draft: Draft;
  readonly slot: RequestField;
  /** Offsets in the slot's value. */
  readonly start: number;
  readonly end: number;
}

/** A place that keeps the recorded value. */
export interface KeptSending extends Usage {
  readonly why: Obstacle;
}
