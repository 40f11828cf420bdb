import type { Op, Vu } from "../vu/vu.ts";
import type { PartsRead, ResponseView } from "../../extract/response_view.ts";
import type { HttpResponse, HttpSession, Origin } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/values/values.ts";
import type { HttpDefaults } from "../../plan/values/http.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { DataSource } from "../vu/data_source.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { Constants } from "./constants.ts";

/** Response that a check or an assertion tests. */
export type TestedResponse = ResponseView & {
  readonly response: HttpResponse;
  readonly durationMs: number;
};

/** Observes the requests of a run. Those sent in one session never overlap. */
export interface RequestObserver {
  /** Called before a step of the plan builds and sends `request` in `session`. */
  start(request: Request, session: HttpSession): void;
  /** Called after `start` if the request could not be built. `reason` is the error message. */
  unsent(request: Request, session: HttpSession, reason: string): void;
  /** Called for each check or assertion that is false for the last response in `session`. */
  failed(condition: Condition | Assertion, session: HttpSession, response: TestedResponse): void;
}

/** State of a VU that a supervisor can read and change before and after a request. */
export interface SupervisedVu {
  readonly id: number;
  readonly iteration: number;
  readonly unique: string;
  readonly session: HttpSession;
  readonly received: ResponseView & { readonly response: HttpResponse };
  get(variable: string): unknown;
  set(variable: string, value: unknown): void;
}

/**
 * Observes and amends the requests of a run. `calibrate` uses it to repair a plan while the plan
 * runs. The requests of a VU never overlap, unless its plan has `parallel` steps.
 */
export interface RequestSupervisor {
  /** Returns the request to send instead of `request`, and may wait before. */
  before(request: Request, vu: SupervisedVu): Promise<Request>;
  /** Called after the response or a failure to build. Returns true to call `before` again. */
  after(request: Request, vu: SupervisedVu): Promise<boolean>;
}

export interface SetupValues {
  current: Readonly<Record<string, unknown>>;
}

export interface Scope {
  readonly scenario: string;
  /** Path of the current group, such as `::outer::inner`; empty outside of groups. */
  readonly group: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly http: HttpDefaults;
  readonly constants: Constants;
  readonly setup: SetupValues;
  /** Index of each variable in `Vu.variables`, by name. All groups of a scenario share the map. */
  readonly variables: Map<string, number>;
  readonly sources: ReadonlyMap<string, DataSource>;
  /** Origins to which the plan sends requests. */
  readonly origins: Set<Origin>;
  readonly recorder: Recorder;
  readonly readFile: (path: string) => Uint8Array;
  readonly thinkTime: ThinkTime | undefined;
  /** Step that waits until the scenario may send another request. Undefined means no limit. */
  readonly throttle: Op | undefined;
  /** Parts of responses that `if`, `while` and `retry` steps read: every response keeps them. */
  readonly reads: PartsRead;
  /** True within a `parallel` step, other branches of which may set variables at any time. */
  readonly isParallel: boolean;
  /** WebSockets that are open while the steps run, from the outermost to the innermost. */
  readonly sockets: readonly SocketScope[];
  /** Assertion that a `retry` step adds to its last request, with the reason if it is false. */
  readonly required?: { readonly name: string; readonly test: (vu: Vu) => boolean };
  readonly observer?: RequestObserver;
  readonly supervisor?: RequestSupervisor;
}

export interface SocketScope {
  readonly name: string;
  reads: boolean;
}

/** Returns the enclosing WebSocket with this name. Without a name, returns the innermost one. */
export function findSocket({ sockets }: Scope, name: string | undefined): SocketScope {
  const found = sockets.findLast((socket) => name === undefined || socket.name === name);
  if (found === undefined) {
    throw new TypeError("no WebSocket is open; check the plan before the run");
  }
  return found;
}

/** Returns the index of a variable in `Vu.variables`. Assigns the next free index to a new name. */
export function variableIndex(scope: Scope, name: string): number {
  let index = scope.variables.get(name);
  if (index === undefined) scope.variables.set(name, index = scope.variables.size);
  return index;
}

export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/** Returns the tags of every sample of a step. */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}

export type StepValue<K extends StepKind> = NonNullable<Step[K]>;

export type CompileSteps = (steps: readonly Step[], scope: Scope) => Op;

export type CompileStep<K extends StepKind> = (
  value: StepValue<K>,
  scope: Scope,
  compileSteps: CompileSteps,
) => Op;
