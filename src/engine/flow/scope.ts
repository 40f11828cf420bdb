import type { DataSource } from "../data/data_source.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { HttpDefaults } from "../../plan/schema/http.ts";
import type { ThinkTime } from "../../plan/schema/step.ts";
import type { Constants } from "./constants.ts";
import type { Origin } from "../sender.ts";
import type { Op } from "./op.ts";

/** Context in which a flow is compiled: one for each scenario, and for each group in it. */
export interface Scope {
  readonly scenario: string;
  /** `::outer::inner`, or empty. */
  readonly group: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly http: HttpDefaults;
  readonly constants: Constants;
  /** Indexes of variables by name, shared by all flows of a scenario. */
  readonly variables: Map<string, number>;
  readonly sources: ReadonlyMap<string, DataSource>;
  /** Origins to which the plan sends requests, over all scenarios. */
  readonly origins: Set<Origin>;
  readonly recorder: Recorder;
  readonly readFile: (path: string) => Uint8Array;
  /** Pause between requests. */
  readonly thinkTime: ThinkTime | undefined;
  /** Waits until the scenario may send another request. */
  readonly throttle: Op | undefined;
  /**
   * Parts of responses that conditions of `if`, `while` and `retry` read; every response keeps
   * them, because any request may be the last before a condition.
   */
  readonly needs: { readonly headers: boolean; readonly body: boolean };
}

/** Returns the variable's index in `Vu.variables`. */
export function variableIndex(scope: Scope, name: string): number {
  let index = scope.variables.get(name);
  if (index === undefined) scope.variables.set(name, index = scope.variables.size);
  return index;
}
