import type { Names } from "./javascript.ts";
import type { Script } from "./script.ts";
import { listSteps } from "../../plan/kinds/list_requests.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/kinds/think_time.ts";
import type { HttpDefaults } from "../../plan/schema/http_defaults.ts";
import { parseTemplate } from "../../plan/text/template.ts";

/** Kind of the flow whose function is being written. */
export type FlowKind = "scenario" | "setup" | "teardown";

/**
 * How to decide whether a pause is due before a request. `planned`: during the export. `tracked`:
 * in the script, with the variable `pauseDue`, because the decision depends on the path through the
 * flow.
 */
export type Pauses = "planned" | "tracked";

/**
 * State shared by the functions that write the steps of a flow. Contains the variables, the
 * statements at the start of an iteration, and the context of the step that is being written.
 */
export class FlowScope {
  readonly script: Script;
  readonly kind: FlowKind;
  /** Name of the scenario, or `setup` or `teardown`. */
  readonly name: string;
  readonly http: HttpDefaults;
  /** Variables of the flow that may be maps or lists. */
  readonly structured: ReadonlySet<string>;
  /** Variables of the flow that are always strings. */
  readonly texts: ReadonlySet<string>;
  /** True if a step of the flow tests the response of an earlier step. */
  readonly testsResponses: boolean;
  /** Pause between two requests of an iteration. Undefined means no pause. */
  readonly thinkTime: ThinkTime | undefined;
  readonly pauses: Pauses;
  /** True if a pause is due before the next request. Unused if `pauses` is `tracked`. */
  pauseDue = false;
  /** Code for the cookie jar of each request. Undefined if requests use the jar of the VU. */
  jar: string | undefined;
  /** True within a branch of a `parallel` step, and within a `websocket` step. */
  isAsync = false;
  /** True if the flow, or a part of it, must be an async function. */
  needsAsync = false;
  /** What the script does if k6 cannot test the condition that is being written. */
  consequence = "";
  /** True if the code reads or sets the variable `res`. */
  usesResponse = false;
  /**
   * Name and variable of each WebSocket that encloses the step that is being written, from the
   * outermost to the innermost.
   */
  readonly sockets: { readonly name: string; readonly variable: string }[] = [];
  /** Statements to write at the start of an iteration, by key (see `perIteration`). */
  readonly startLines: Map<string, string> = new Map();
  /** Variables that an iteration may read before it sets them. */
  readonly persistent: Set<string> = new Set();
  readonly #variables = new Map<string, string>();
  readonly #items = new Set<string>();
  #assigned = new Set<string>();
  #hoisted: string[] = [];

  constructor(
    script: Script,
    kind: FlowKind,
    name: string,
    flow: readonly Step[],
    thinkTime?: ThinkTime,
  ) {
    this.script = script;
    this.kind = kind;
    this.name = name;
    this.http = script.plan.defaults?.http ?? {};
    this.structured = new Set(structuredVariables(flow));
    this.texts = textVariables(flow);
    this.testsResponses = testsResponses(flow);
    this.thinkTime = thinkTime ?? script.plan.defaults?.think_time;
    const isStraight = flow.every(isStraightStep);
    this.pauses = this.thinkTime === undefined || isStraight ? "planned" : "tracked";
  }

  /** Assigns variable names that are unique in the whole script. */
  get names(): Names {
    return this.script.names;
  }

  /**
   * Returns the name that a variable of the plan has in the script, and records that it is read.
   */
  read(variable: string): string {
    if (!this.#assigned.has(variable)) this.persistent.add(variable);
    return this.#nameOf(variable);
  }

  /** Returns the name that a variable of the plan has in the script, and records that it is set. */
  assign(variable: string): string {
    this.#assigned.add(variable);
    return this.#nameOf(variable);
  }

  /**
   * Reports whether a variable is the item of an enclosing `foreach` step, so that it always has a
   * value.
   */
  isItem(variable: string): boolean {
    return this.#items.has(variable);
  }

  /**
   * Calls `write`, which writes the steps of a `foreach` step. In these steps, `variable` is the
   * current item and always has a value.
   */
  withItem<Result>(variable: string, write: () => Result): Result {
    const isNew = !this.#items.has(variable);
    this.#items.add(variable);
    const result = this.branch(() => {
      this.#assigned.add(variable);
      return write();
    });
    if (isNew) this.#items.delete(variable);
    return result;
  }

  /**
   * Calls `write`, which writes steps that may not run. Later steps cannot rely on the variables
   * that these steps set.
   */
  branch<Result>(write: () => Result): Result {
    const before = new Set(this.#assigned);
    const result = write();
    this.#assigned = before;
    return result;
  }

  /**
   * Calls `write`, which writes the steps of a `websocket` step. `name` is the name of the
   * WebSocket, and `variable` is its variable in the script.
   */
  withSocket<Result>(name: string, variable: string, write: () => Result): Result {
    const { isAsync } = this;
    this.isAsync = this.needsAsync = true;
    this.sockets.push({ name, variable });
    const result = this.branch(write);
    this.sockets.pop();
    this.isAsync = isAsync;
    return result;
  }

  /**
   * Returns the script variable of the enclosing WebSocket `name` (default: the innermost
   * WebSocket).
   */
  socket(name: string | undefined): string {
    const found = this.sockets.findLast((socket) => name === undefined || socket.name === name);
    if (found === undefined) throw new TypeError("the plan was not checked: no WebSocket is open");
    return found.variable;
  }

  /**
   * Calls `write`, which writes a branch of a `parallel` step. The branch has its own variable
   * `res`.
   */
  parallelBranch<Result>(write: () => Result): Result {
    const { isAsync, usesResponse } = this;
    this.isAsync = this.needsAsync = true;
    const result = this.branch(write);
    this.isAsync = isAsync;
    this.usesResponse = usesResponse;
    return result;
  }

  /** Declares a constant with the value `code` before the current step, and returns its name. */
  hoist(name: string, code: string): string {
    const variable = this.names.take(name, "value");
    this.#hoisted.push(`const ${variable} = ${code};`);
    return variable;
  }

  /** Returns the statements that `hoist` added since the last call. */
  takeHoisted(): string[] {
    const hoisted = this.#hoisted;
    this.#hoisted = [];
    return hoisted;
  }

  /**
   * Declares a constant with the value `code` at the start of each iteration, and returns its name.
   * Calls with the same `key` share one constant.
   */
  perIteration(key: string, name: string, code: string): string {
    const known = this.startLines.get(key);
    if (known !== undefined) return /^const (\S+) /.exec(known)![1];
    const variable = this.names.take(name, "value");
    this.startLines.set(key, `const ${variable} = ${code};`);
    return variable;
  }

  /**
   * Returns the script name of each variable that the flow sets or reads, by its name in the plan.
   */
  variables(): ReadonlyMap<string, string> {
    return this.#variables;
  }

  #nameOf(variable: string): string {
    let name = this.#variables.get(variable);
    if (name === undefined) {
      this.#variables.set(variable, name = this.names.take(variable, "value"));
    }
    return name;
  }
}

/**
 * Reports whether a step always runs exactly once. For a group, reports whether this is true of all
 * its steps.
 */
function isStraightStep({ request, think_time, set, metric, group }: Step): boolean {
  if (group !== undefined) return group.steps.every(isStraightStep);
  return [request, think_time, set, metric].some((value) => value !== undefined);
}

/** Yields the variables to which a step may assign a map or a list. */
function* structuredVariables(flow: readonly Step[]): Generator<string> {
  for (const { request, expect, set = {}, foreach } of listSteps(flow)) {
    const extract = [...request?.extract ?? [], ...expect?.extract ?? []];
    for (const { type, name, index, transform = [], default: fallback } of extract) {
      const isChangedJson = type === "jsonpath" && transform.length > 0;
      if (isChangedJson || index === "all" || typeof fallback === "object") yield name;
    }
    for (const [name, value] of Object.entries(set)) {
      if (typeof value === "object" || isExpression(value)) yield name;
    }
    if (foreach !== undefined) yield foreach.as;
  }
}

/** Returns the variables that are set only by extractors that always return text. */
function textVariables(flow: readonly Step[]): Set<string> {
  const texts = new Set<string>();
  const others = new Set<string>();
  for (const { request, expect, set = {}, foreach } of listSteps(flow)) {
    for (const extractor of [...request?.extract ?? [], ...expect?.extract ?? []]) {
      const { type, name, index, transform = [], default: fallback = "" } = extractor;
      const isText = type !== "jsonpath" && index !== "all" && !transform.includes("number") &&
        typeof fallback === "string";
      (isText ? texts : others).add(name);
    }
    for (const name of Object.keys(set)) others.add(name);
    if (foreach !== undefined) others.add(foreach.as);
  }
  return texts.difference(others);
}

/** Reports whether a value is text that consists of a single expression. */
export function isExpression(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const [only, ...more] = parseTemplate(value);
  return more.length === 0 && only.kind !== "text";
}

/** Reports whether a step tests the response of an earlier step. */
function testsResponses(flow: readonly Step[]): boolean {
  for (const step of listSteps(flow)) {
    const condition = step.if?.condition ?? step.while?.condition ?? step.retry?.until;
    if (JSON.stringify(condition ?? "").includes('"type":')) return true;
  }
  return false;
}
