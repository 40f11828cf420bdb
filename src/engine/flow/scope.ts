import type { Op, Vu } from "../vu/vu.ts";
import type { PartsRead, ResponseView } from "../../extract/response_view.ts";
import type { HttpResponse, HttpSession, Origin } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/values/values.ts";
import type { HttpDefaults } from "../../plan/schema/http_defaults.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { DataSource } from "../vu/data_source.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { Constants } from "./constants.ts";

/** Response that a check or an assertion tests. */
export type TestedResponse = ResponseView & {
  readonly response: HttpResponse;
  readonly durationMs: number;
};

/**
 * Observes the requests of a run without changing them. `run --once` uses it to print the run. The
 * requests that are sent in one session never overlap.
 */
export interface RequestObserver {
  /** Called before a step of the plan builds and sends `request` in `session`. */
  start(request: Request, session: HttpSession): void;
  /** Called after `start` if the request could not be built. `reason` is the error message. */
  unsent(request: Request, session: HttpSession, reason: string): void;
  /**
   * Called for each check or assertion that is false for the response to the last request in
   * `session`.
   */
  failed(condition: Condition | Assertion, session: HttpSession, response: TestedResponse): void;
}

/** State of a VU that a supervisor can read and change before and after a request. */
export interface SupervisedVu {
  readonly id: number;
  /** Zero-based number of the iteration. */
  readonly iteration: number;
  /** Value of `${unique}` in this iteration. */
  readonly unique: string;
  /** The session that the sender opened for the VU. */
  readonly session: HttpSession;
  readonly received: ResponseView & { readonly response: HttpResponse };
  /** Returns the value of a flow variable, or undefined if it is not set. */
  get(variable: string): unknown;
  set(variable: string, value: unknown): void;
}

/**
 * Observes and amends the requests of a run. `calibrate` uses it to repair a plan while the plan
 * runs. The requests of a VU never overlap, unless its plan has `parallel` steps.
 */
export interface RequestSupervisor {
  /**
   * Called before a step of the plan sends `request`. Returns the request to send instead, which
   * can be `request` itself. May wait, for example for another VU.
   */
  before(request: Request, vu: SupervisedVu): Promise<Request>;
  /**
   * Called after the response to `request` has arrived, or if the request could not be built.
   * Returns true if the request must be sent again. In that case, `before` is called again.
   */
  after(request: Request, vu: SupervisedVu): Promise<boolean>;
}

/** Variables that `setup` has set, by name. Empty until `setup` has run. */
export interface SetupValues {
  current: Readonly<Record<string, unknown>>;
}

/** Context in which the steps of a scenario, or of a group in it, are compiled. */
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
  /**
   * Origins to which any scenario of the plan sends requests. Compiling or rendering a request adds
   * its origin to this set.
   */
  readonly origins: Set<Origin>;
  readonly recorder: Recorder;
  readonly readFile: (path: string) => Uint8Array;
  /** Pause between two requests of an iteration. Undefined means no pause. */
  readonly thinkTime: ThinkTime | undefined;
  /** Step that waits until the scenario may send another request. Undefined means no limit. */
  readonly throttle: Op | undefined;
  /**
   * Parts of responses that `if`, `while` and `retry` steps read. Every response keeps these parts,
   * because any request may be the last one before such a step.
   */
  readonly reads: PartsRead;
  /**
   * Indexes of the variables that the steps set: one set of indexes for each enclosing `retry` step
   * and for each enclosing branch of a `parallel` step. Compiling a step adds the indexes of the
   * variables that it sets to all these sets.
   */
  readonly assigned: readonly Set<number>[];
  /**
   * Indexes of the variables that other branches of enclosing `parallel` steps may set at the same
   * time: one set of indexes for each of these branches. The sets are complete only after the whole
   * flow is compiled.
   */
  readonly concurrent: readonly ReadonlySet<number>[];
  /** WebSockets that are open while the steps run, from the outermost to the innermost. */
  readonly sockets: readonly SocketScope[];
  /**
   * Assertion that a `retry` step adds to its last request. The request fails if `test` returns
   * false, and `name` is reported as the reason. Undefined outside of such requests.
   */
  readonly required?: { readonly name: string; readonly test: (vu: Vu) => boolean };
  /** Observes every request of a run with `--once`. Undefined in an ordinary run. */
  readonly observer?: RequestObserver;
  /** Observes and amends every request. Undefined in an ordinary run. */
  readonly supervisor?: RequestSupervisor;
}

/** Information that is needed to compile the steps inside a `websocket` step. */
export interface SocketScope {
  readonly name: string;
  /** True if a step reads the messages of the WebSocket. */
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

/**
 * Returns the index in `Vu.variables` of a variable that a step sets. Adds the index to all sets in
 * `scope.assigned`.
 */
export function assignedIndex(scope: Scope, name: string): number {
  const index = variableIndex(scope, name);
  for (const set of scope.assigned) set.add(index);
  return index;
}

/** Tag values by tag name, as written in a plan. */
export type PlanTags = NonNullable<NonNullable<Plan["defaults"]>["tags"]>;

/**
 * Returns the tags that are added to every sample of a step. Tags in `more` override `tags`, but
 * not `scenario` and `group`.
 */
export function staticTags(
  { tags, scenario, group }: Pick<Scope, "tags" | "scenario" | "group">,
  more: PlanTags = {},
): Record<string, string> & { scenario: string; group: string } {
  const own = Object.entries(more).map(([tag, value]) => [tag, String(value)]);
  return { ...tags, ...Object.fromEntries(own), scenario, group };
}

/** Value of a step of kind `K`, as written in the plan. */
export type StepValue<K extends StepKind> = NonNullable<Step[K]>;

/** Compiles a list of steps. */
export type CompileSteps = (steps: readonly Step[], scope: Scope) => Op;

/** Compiles a step of kind `K`. Uses `compileSteps` for the steps that it contains. */
export type CompileStep<K extends StepKind> = (
  value: StepValue<K>,
  scope: Scope,
  compileSteps: CompileSteps,
) => Op;
