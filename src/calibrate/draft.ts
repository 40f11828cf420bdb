import { UniqueNames } from "../correlation/variable.ts";
import { checkPlan } from "../plan/check_plan.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { mapPlanSteps, mapSteps } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { type GivenPlan, type PlanPoint, withRequestForm } from "./given_plan.ts";
import {
  holdsLiteral,
  isWriteRequest,
  onlyInserts,
  replaceLiteral,
  restoreLiteral,
  type SoughtLiteral,
  textsWithLiteral,
  usesVariable,
  type WrittenVariable,
} from "./literal_edit.ts";
import { RecordedSide } from "./recorded_side.ts";

/** The requests and the steps of WebSockets, by position. */
export type DraftState = readonly Request[];

/** Requests, and the number of WebSocket messages, that use a variable. */
export interface VariableUses {
  readonly consumers: readonly number[];
  readonly messages: number;
}

/** A plan whose requests and WebSocket messages are amended one edit at a time. */
export class PlanDraft {
  readonly given: GivenPlan;
  /** The calls that the plan replays (default: none). */
  readonly recorded: RecordedSide;
  readonly values: DraftValues;
  readonly #steps: EditedSteps;
  readonly #explanation = new Set<string>();
  readonly #contents = new Map<string, number>();
  readonly #numbers = new WeakMap<Request, number>();

  constructor(given: GivenPlan, recorded: RecordedSide = new RecordedSide(given)) {
    this.given = given;
    this.recorded = recorded;
    this.#steps = new EditedSteps(given);
    this.values = new DraftValues(given, this.#steps, recorded);
  }

  get requests(): Request[] {
    return this.given.positions.map((at) => this.#steps.current[at]);
  }

  at(index: number): Request {
    return this.#steps.current[this.given.positions[index]];
  }

  isWrite(index: number): boolean {
    return isWriteRequest(this.at(index));
  }

  /** Returns a number of what a request sends, regardless of its extractors and checks. */
  contentNumber(request: Request): number {
    return this.#numbers.getOrInsertComputed(request, () => {
      const { extract: _, assert: __, checks: ___, ...sent } = request;
      return this.#contents.getOrInsert(JSON.stringify(sent), this.#contents.size);
    });
  }

  /** Number of requests and steps that differ from the given ones. */
  get edits(): number {
    return this.given.steps.filter(({ request }, at) => {
      const current = this.#steps.current[at];
      return current !== request && JSON.stringify(current) !== JSON.stringify(request);
    }).length;
  }

  /** Adds a line about a call for `--explain`. It may contain recorded and live text. */
  explain(point: PlanPoint, text: string): void {
    this.#explanation.add(`call ${(this.given.requestAt(point) ?? 0) + 1}: ${text}`);
  }

  get explanation(): string[] {
    return [...this.#explanation];
  }

  save(): DraftState {
    return this.#steps.current;
  }

  restore(state: DraftState): void {
    this.#steps.current = state;
  }

  /** Replaces requests with those of another state, except for their extractors. */
  take(indexes: readonly number[], state: DraftState): void {
    const taken = new Set(indexes.map((index) => this.given.positions[index]));
    this.#steps.current = this.#steps.current.map((request, at) =>
      taken.has(at) ? { ...state[at], extract: request.extract } : request
    );
  }

  /** Edits the steps of the scenario that contains a request. */
  editScenario(index: number, edit: (request: Request) => Request): void {
    const scenario = this.given.scenarioAt(index);
    this.#steps.edit((at) => this.given.steps[at].scenario === scenario, edit);
  }

  /** Names of the UUIDs that requests send as `${uuid(NAME)}`. */
  get uuids(): string[] {
    const text = JSON.stringify(this.#steps.current);
    return Array.from(text.matchAll(/\buuid\(([^()]*)\)/g), ([, name]) => name);
  }

  unusedName(field: string): string {
    const bare = field.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
      .replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40) || "value";
    const base = /^\d/.test(bare) ? `value_${bare}` : bare;
    return new UniqueNames([
      ...RESERVED,
      ...this.given.names,
      ...this.#steps.current.flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
    ]).next(base);
  }

  /** Edits the plan. If it is then invalid, undoes the edit and returns false. */
  tryEdit(edit: () => void): boolean {
    const before = this.save();
    edit();
    const isValid = this.isValid();
    if (!isValid) this.restore(before);
    return isValid;
  }

  isValid(): boolean {
    return checkPlan(this.toPlan()).every(({ severity }) => severity !== "error");
  }

  toPlan(): Plan {
    return mapPlanSteps(this.given.plan, (step) => this.#amended(step, true));
  }

  /**
   * Returns a flow of the given plan with the edits to its WebSocket messages. Keeps the request
   * objects of the given plan, so that `given.indexOf` can find them.
   */
  withMessages(flow: readonly Step[]): Step[] {
    return mapSteps(flow, (step) => this.#amended(step, false));
  }

  #amended(step: Step, withRequests: boolean): Step {
    const at = this.given.positionOf(step);
    if (at === undefined) return step;
    const request = this.#steps.current[at];
    if (request === this.given.steps[at].request) return step;
    if (step.request === undefined) return withRequestForm(step, request);
    return withRequests ? { ...step, request } : step;
  }
}

/** The current form of each step, by position. */
class EditedSteps {
  current: DraftState;

  constructor({ steps }: GivenPlan) {
    this.current = steps.map(({ request }) => request);
  }

  edit(isIncluded: (position: number) => boolean, edit: (request: Request) => Request): void {
    this.current = this.current.map((request, at) => {
      if (!isIncluded(at)) return request;
      const edited = edit(request);
      return JSON.stringify(edited) === JSON.stringify(request) ? request : edited;
    });
  }
}

/**
 * The values that a draft sends: literals, and variables that extractors set. An edit changes only
 * the scenario that contains the edited request.
 */
export class DraftValues {
  readonly #given: GivenPlan;
  readonly #steps: EditedSteps;
  readonly #recorded: RecordedSide;

  constructor(given: GivenPlan, steps: EditedSteps, recorded: RecordedSide) {
    this.#given = given;
    this.#steps = steps;
    this.#recorded = recorded;
  }

  sentAfter(point: PlanPoint): Request[] {
    return this.#readers(point).map((at) => this.#steps.current[at]);
  }

  /** Returns the strings after a point that contain a literal where it can be replaced. */
  textsAfter(point: PlanPoint, literal: SoughtLiteral): RequestText[] {
    return this.#senders(point, literal)
      .flatMap((at) => textsWithLiteral(this.#steps.current[at], literal));
  }

  isSentAfter(point: PlanPoint, literal: SoughtLiteral): boolean {
    return this.#senders(point, literal)
      .some((at) => holdsLiteral(this.#steps.current[at], literal));
  }

  /**
   * Reports whether the given plan sends a literal before or at a point. With `messages`, only
   * searches the messages.
   */
  isSentBefore(point: PlanPoint, literal: SoughtLiteral, messages = false): boolean {
    const end = this.#positionOf(point);
    const { scenario } = this.#given.steps[end];
    return this.#given.steps.slice(0, end + 1).some((step) =>
      step.scenario === scenario && !(messages && step.index !== undefined) &&
      holdsLiteral(step.request, literal)
    );
  }

  /**
   * Adds an extractor to a request or an `expect` step. In all later requests and messages of the
   * scenario, replaces a literal with the variable of the extractor. If the plan repeats the
   * request, the extractor gets an empty default, because earlier responses may lack the value.
   */
  extract(
    point: PlanPoint,
    extractor: Extractor,
    literal: SoughtLiteral,
    written: WrittenVariable,
  ): void {
    const isRepeated = typeof point === "number" && this.#given.repeatedAt(point) !== undefined;
    const added = isRepeated ? { ...extractor, default: "" } : extractor;
    const own = this.#positionOf(point);
    this.#steps.edit((at) => at === own, (request) => ({
      ...request,
      extract: [...request.extract ?? [], added],
    }));
    this.replaceLiteral(point, literal, written);
  }

  /**
   * Replaces a literal after a point with a variable. With `variable`, replaces it only up to the
   * next request that extracts this variable.
   */
  replaceLiteral(
    point: PlanPoint,
    literal: SoughtLiteral,
    written: WrittenVariable,
    variable?: string,
  ): void {
    const after = new Set(this.#senders(point, literal, variable));
    this.#steps.edit((at) => after.has(at), (request) => replaceLiteral(request, literal, written));
  }

  /**
   * Removes the extractor of a variable from a request. In the requests and messages that follow,
   * up to the next request that extracts the same variable, replaces the variable with a literal.
   */
  removeVariable(
    index: number,
    variable: string,
    { value, numeric }: Readonly<{ value: string; numeric: boolean }>,
  ): void {
    const own = this.#positionOf(index);
    const after = new Set(this.#after(index, variable));
    this.#steps.edit((at) => at === own, (request) => {
      const extract = request.extract?.filter(({ name }) => name !== variable);
      return { ...request, extract: extract?.length ? extract : undefined };
    });
    this.#steps.edit(
      (at) => after.has(at),
      (request) => restoreLiteral(request, variable, value, numeric),
    );
  }

  /**
   * Replaces a variable with a literal in texts of the request `index` and of later ones, up to the
   * next request that extracts the variable.
   */
  restoreLiteral(
    index: number,
    variable: string,
    { value, numeric }: Readonly<{ value: string; numeric: boolean }>,
    isIncluded: (text: RequestText) => boolean,
  ): void {
    const from = new Set([this.#positionOf(index), ...this.#after(index, variable)]);
    this.#steps.edit(
      (at) => from.has(at),
      (request) => restoreLiteral(request, variable, value, numeric, isIncluded),
    );
  }

  usesOf(point: PlanPoint, variable: string): VariableUses {
    const used = this.#after(point, variable)
      .filter((at) => usesVariable(this.#steps.current[at], variable))
      .map((at) => this.#given.steps[at].index);
    const consumers = used.filter((index) => index !== undefined);
    return { consumers, messages: used.length - consumers.length };
  }

  isOnlyInserted(point: PlanPoint, variable: string): boolean {
    return this.#after(point, variable)
      .every((at) => onlyInserts(this.#steps.current[at], variable));
  }

  #readers(point: PlanPoint, variable?: string): number[] {
    return this.#after(point, variable).filter((at) => {
      const { index } = this.#given.steps[at];
      return typeof point !== "number" || index === undefined ||
        this.#recorded.mayRead(index, point);
    });
  }

  #senders(point: PlanPoint, { until }: SoughtLiteral, variable?: string): number[] {
    const readers = this.#readers(point, variable);
    if (until === undefined) return readers;
    const end = this.#positionOf(until);
    return readers.filter((at) => at <= end);
  }

  #positionOf(point: PlanPoint): number {
    return this.#given.positionOf(point)!;
  }

  /** With `variable`, only up to the next request that extracts this variable. */
  #after(point: PlanPoint, variable?: string): number[] {
    const { steps } = this.#given;
    const start = this.#positionOf(point);
    const positions: number[] = [];
    for (let at = start + 1; at < steps.length; at++) {
      if (steps[at].scenario !== steps[start].scenario) break;
      positions.push(at);
      if (this.#steps.current[at].extract?.some(({ name }) => name === variable)) break;
    }
    return positions;
  }
}

/** Maximum length of a value in a line, in UTF-16 code units. */
const LONGEST_QUOTED = 60;

/** Quotes a value for the log, and shortens it if it is long. */
export function quoteValue(value: string): string {
  return JSON.stringify(
    value.length > LONGEST_QUOTED ? `${value.slice(0, LONGEST_QUOTED - 1)}…` : value,
  );
}
