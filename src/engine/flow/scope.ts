import type { PartsRead } from "../../extract/response_view.ts";
import type { DataSource } from "../data/data_source.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { HttpDefaults } from "../../plan/schema/http_defaults.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { ThinkTime } from "../../plan/kinds/steps/think_time.ts";
import type { Constants } from "./constants.ts";
import type { Origin } from "../../http/sender.ts";
import type { Op } from "../vu/op.ts";

/** Context in which a flow is compiled: one for each scenario, and for each group in it. */
export interface Scope {
  readonly scenario: string;
  /** Path of the current group, such as `::outer::inner`; empty outside of groups. */
  readonly group: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly http: HttpDefaults;
  readonly constants: Constants;
  /** Indexes of variables by name, shared by all flows of a scenario. */
  readonly variables: Map<string, number>;
  readonly sources: ReadonlyMap<string, DataSource>;
  /** Origins to which the plan sends requests in any scenario. Compiling adds to it. */
  readonly origins: Set<Origin>;
  readonly recorder: Recorder;
  readonly readFile: (path: string) => Uint8Array;
  /** Pause between two requests of an iteration. */
  readonly thinkTime: ThinkTime | undefined;
  /** Waits until the scenario may send another request. */
  readonly throttle: Op | undefined;
  /**
   * Parts of responses that the conditions of `if`, `while` and `retry` steps read. Every response
   * keeps them, because any request may be the last one before a condition.
   */
  readonly reads: PartsRead;
}

/** Returns the index of a variable in `Vu.variables`. Assigns the next free index to a new name. */
export function variableIndex(scope: Scope, name: string): number {
  let index = scope.variables.get(name);
  if (index === undefined) scope.variables.set(name, index = scope.variables.size);
  return index;
}

/** Tags as written in a plan: values by tag name. */
export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/** Returns the tags that every sample of a step has. `more` overrides the tags of the scope. */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}
