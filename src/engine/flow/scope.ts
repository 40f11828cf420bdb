import type { DataSource } from "../data/data_source.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { HttpDefaults } from "../../plan/schema/http.ts";
import type { ThinkTime } from "../../plan/schema/step.ts";
import type { Constants } from "./constants.ts";
import type { Origin } from "../sender.ts";
import type { Op } from "./op.ts";

/** What a flow is compiled with: one for each scenario, and for each group within. */
export interface Scope {
  readonly scenario: string;
  /** `::outer::inner`, or empty. */
  readonly group: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly http: HttpDefaults;
  readonly constants: Constants;
  /** Numbers the variables: the same name is the same slot throughout a scenario. */
  readonly slots: Map<string, number>;
  readonly sources: ReadonlyMap<string, DataSource>;
  /** Origins to which the plan sends requests, over all scenarios. */
  readonly origins: Set<Origin>;
  readonly recorder: Recorder;
  readonly readFile: (path: string) => Uint8Array;
  /** Pause between requests. */
  readonly thinkTime: ThinkTime | undefined;
  /** Waits until the scenario may send another request. */
  readonly throttle: Op | undefined;
  /** What conditions of `if`, `while` and `retry` look at: any request may be the last one. */
  readonly wants: { readonly headers: boolean; readonly body: boolean };
}

/** The variable's place in `Vu.variables`. */
export function variableIndex(scope: Scope, name: string): number {
  let slot = scope.slots.get(name);
  if (slot === undefined) scope.slots.set(name, slot = scope.slots.size);
  return slot;
}
