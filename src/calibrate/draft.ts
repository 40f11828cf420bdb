import { UniqueNames } from "../correlation/variable.ts";
import { checkPlan } from "../plan/check_plan.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import {
  allFlows,
  listRequests,
  listSteps,
  mapPlanSteps,
  mapSteps,
  recordedEntry,
  stepLists,
} from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
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
import { findRepeatedRequests, type RepeatedRequest } from "./flow_edits.ts";
import { RecordedSide } from "./recorded_side.ts";

export type DraftState = readonly Request[];

/** A point in a plan: the number of a request, or an `expect` step of the original plan. */
export type PlanPoint = number | Step;

interface Item {
  readonly step: Step;
  readonly scenario: string;
  /**
   * The request of the plan. For a step of a WebSocket, a request with the strings that it sends,
   * or the extractors that it applies, so that they can be edited in the same way.
   */
  readonly original: Request;
  readonly index: number | undefined;
}

/** Requests, and the number of WebSocket messages, that use a variable. */
export interface VariableUses {
  readonly consumers: readonly number[];
  readonly messages: number;
}

/**
 * A plan whose requests and WebSocket messages are amended one edit at a time. Requests are
 * numbered from 0, in plan order. Each virtual user has its own variables and runs one scenario. An
 * edit therefore changes only the scenario that contains the edited request.
 */
export class PlanDraft {
  readonly #plan: Plan;
  readonly #items: readonly Item[];
  readonly #steps: ReadonlyMap<Step, number>;
  #current: DraftState;
  readonly #positions: readonly number[];
  readonly #indexes: ReadonlyMap<Request, number>;
  readonly #repeated: ReadonlyMap<Request, RepeatedRequest>;
  /** Names that the plan defines in other ways than by extractors of the amended requests. */
  readonly #names: ReadonlySet<string>;
  readonly #explanation = new Set<string>();
  /** The calls that the plan replays (default: none). */
  readonly recorded: RecordedSide;

  constructor(plan: Plan, recorded: RecordedSide = new RecordedSide(new Map(), [])) {
    this.#plan = plan;
    this.recorded = recorded;
    const flows = Object.entries(plan.scenarios);
    const listed = flows.flatMap(([scenario, { flow }]) => listItems(flow, scenario));
    let count = 0;
    this.#items = listed.map((item) => ({
      ...item,
      index: item.step.request === undefined ? undefined : count++,
    }));
    this.#steps = new Map(this.#items.map(({ step }, at) => [step, at]));
    this.#current = this.#items.map(({ original }) => original);
    this.#positions = this.#items.flatMap(({ index }, at) => index === undefined ? [] : [at]);
    this.#indexes = new Map(this.#positions.map((at, i) => [this.#items[at].original, i]));
    this.#repeated = new Map(flows.flatMap(([, { flow }]) => [...findRepeatedRequests(flow)]));
    this.#names = definedNames(plan);
  }

  get requests(): Request[] {
    return this.#positions.map((at) => this.#current[at]);
  }

  get edits(): number {
    const edited = this.#current.filter((request, at) => {
      const { original } = this.#items[at];
      return request !== original && JSON.stringify(request) !== JSON.stringify(original);
    });
    return edited.length;
  }

  indexOf(original: Request): number | undefined {
    return this.#indexes.get(original);
  }

  repeatedAt(index: number): RepeatedRequest | undefined {
    return this.#repeated.get(this.original(index));
  }

  isWrite(index: number): boolean {
    return isWriteRequest(this.at(index));
  }

  at(index: number): Request {
    return this.#current[this.#positions[index]];
  }

  original(index: number): Request {
    return this.#items[this.#positions[index]].original;
  }

  /** Returns the one-based index of the recorded entry that a request replays, if any. */
  entryOf(index: number): number | undefined {
    return recordedEntry(this.original(index));
  }

  scenarioAt(index: number): string {
    return this.#items[this.#positions[index]].scenario;
  }

  /**
   * Returns the request numbers of each scenario that replays a recording, keyed by the name of the
   * scenario. In such a scenario, at least one request replays a recorded entry.
   */
  replayed(): Map<string, number[]> {
    const scenarios = Map.groupBy(this.#positions.keys(), (index) => this.scenarioAt(index));
    return new Map(
      [...scenarios].filter(([, own]) => own.some((index) => this.entryOf(index) !== undefined)),
    );
  }

  areTogether(index: number, other: number): boolean {
    return this.scenarioAt(index) === this.scenarioAt(other);
  }

  /** Adds a line about a call for `--explain`. It may contain recorded and live text. */
  explain(index: number, text: string): void {
    this.#explanation.add(`call ${index + 1}: ${text}`);
  }

  get explanation(): string[] {
    return [...this.#explanation];
  }

  save(): DraftState {
    return this.#current;
  }

  restore(state: DraftState): void {
    this.#current = state;
  }

  /** Replaces requests with those of another state, except for their extractors. */
  take(indexes: readonly number[], state: DraftState): void {
    const taken = new Set(indexes.map((index) => this.#positions[index]));
    this.#current = this.#current.map((request, at) =>
      taken.has(at) ? { ...state[at], extract: request.extract } : request
    );
  }

  editScenario(index: number, edit: (request: Request) => Request): void {
    const scenario = this.scenarioAt(index);
    this.#edit((at) => this.#items[at].scenario === scenario, edit);
  }

  #edit(isIncluded: (at: number) => boolean, edit: (request: Request) => Request): void {
    this.#current = this.#current.map((request, at) => {
      if (!isIncluded(at)) return request;
      const edited = edit(request);
      return JSON.stringify(edited) === JSON.stringify(request) ? request : edited;
    });
  }

  later(index: number): number[] {
    return this.#positions.flatMap((_, i) => i > index && this.areTogether(i, index) ? [i] : []);
  }

  earlier(index: number): number[] {
    return this.#positions.flatMap((_, i) => i < index && this.areTogether(i, index) ? [i] : []);
  }

  /** Returns the number of the request at or before a point in its scenario, if any. */
  requestAt(point: PlanPoint): number | undefined {
    const to = this.#positionOf(point);
    const { scenario } = this.#items[to];
    return this.#items.slice(0, to + 1).findLast((item) =>
      item.index !== undefined && item.scenario === scenario
    )?.index;
  }

  sentAfter(point: PlanPoint): Request[] {
    return this.#readers(point).map((at) => this.#current[at]);
  }

  /** Returns the strings after a point that contain a literal where it can be replaced. */
  textsAfter(point: PlanPoint, literal: SoughtLiteral): RequestText[] {
    return this.#senders(point, literal)
      .flatMap((at) => textsWithLiteral(this.#current[at], literal));
  }

  isSentAfter(point: PlanPoint, literal: SoughtLiteral): boolean {
    return this.#senders(point, literal).some((at) => holdsLiteral(this.#current[at], literal));
  }

  /**
   * Reports whether the original plan sends a literal before or at a point. With `messages`, only
   * searches the messages.
   */
  isSentBefore(point: PlanPoint, literal: SoughtLiteral, messages = false): boolean {
    const end = this.#positionOf(point);
    const { scenario } = this.#items[end];
    return this.#items.slice(0, end + 1).some((item) =>
      item.scenario === scenario && !(messages && item.index !== undefined) &&
      holdsLiteral(item.original, literal)
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
    const isRepeated = typeof point === "number" && this.repeatedAt(point) !== undefined;
    const added = isRepeated ? { ...extractor, default: "" } : extractor;
    const own = this.#positionOf(point);
    this.#edit((at) => at === own, (request) => ({
      ...request,
      extract: [...request.extract ?? [], added],
    }));
    this.replaceAfter(point, literal, written);
  }

  /** With `variable`, replaces only up to the next request that extracts this variable. */
  replaceAfter(
    point: PlanPoint,
    literal: SoughtLiteral,
    written: WrittenVariable,
    variable?: string,
  ): void {
    const after = new Set(this.#senders(point, literal, variable));
    this.#edit((at) => after.has(at), (request) => replaceLiteral(request, literal, written));
  }

  /**
   * Removes the extractor of a variable from a request. In the requests and messages that follow,
   * up to the next request that extracts the same variable, replaces the variable with a literal.
   */
  release(index: number, variable: string, value: string, numeric: boolean): void {
    const own = this.#positions[index];
    const after = new Set(this.#after(index, variable));
    this.#edit((at) => at === own, (request) => {
      const extract = request.extract?.filter(({ name }) => name !== variable);
      return { ...request, extract: extract?.length ? extract : undefined };
    });
    this.#edit(
      (at) => after.has(at),
      (request) => restoreLiteral(request, variable, value, numeric),
    );
  }

  /**
   * Replaces a variable with a literal in texts of the request `index` and of later ones, up to the
   * next request that extracts the variable.
   */
  unread(
    index: number,
    variable: string,
    { value, numeric }: { readonly value: string; readonly numeric: boolean },
    isIncluded: (text: RequestText) => boolean,
  ): void {
    const from = new Set([this.#positions[index], ...this.#after(index, variable)]);
    this.#edit(
      (at) => from.has(at),
      (request) => restoreLiteral(request, variable, value, numeric, isIncluded),
    );
  }

  usesOf(point: PlanPoint, variable: string): VariableUses {
    const used = this.#after(point, variable)
      .filter((at) => usesVariable(this.#current[at], variable))
      .map((at) => this.#items[at].index);
    const consumers = used.filter((index) => index !== undefined);
    return { consumers, messages: used.length - consumers.length };
  }

  isOnlyInserted(point: PlanPoint, variable: string): boolean {
    return this.#after(point, variable).every((at) => onlyInserts(this.#current[at], variable));
  }

  sends(index: number, template: string): boolean {
    return JSON.stringify(this.at(index)).includes(JSON.stringify(template).slice(1, -1));
  }

  /** Names of the UUIDs that requests send as `${uuid(NAME)}`. */
  get uuids(): string[] {
    const text = JSON.stringify(this.#current);
    return Array.from(text.matchAll(/\buuid\(([^()]*)\)/g), ([, name]) => name);
  }

  sets(name: string): boolean {
    return this.#names.has(name);
  }

  unusedName(field: string): string {
    const bare = field.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
      .replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40) || "value";
    const base = /^\d/.test(bare) ? `value_${bare}` : bare;
    return new UniqueNames([
      ...RESERVED,
      ...this.#names,
      ...this.#current.flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
    ]).next(base);
  }

  isValid(): boolean {
    return checkPlan(this.toPlan()).every(({ severity }) => severity !== "error");
  }

  toPlan(): Plan {
    return mapPlanSteps(this.#plan, (step) => this.#amended(step, true));
  }

  /**
   * Returns a flow of the original plan with the edits to its WebSocket messages. Keeps the request
   * objects of the original plan, so that `indexOf` can find them.
   */
  withMessages(flow: readonly Step[]): Step[] {
    return mapSteps(flow, (step) => this.#amended(step, false));
  }

  #amended(step: Step, withRequests: boolean): Step {
    const at = this.#steps.get(step);
    if (at === undefined || this.#current[at] === this.#items[at].original) return step;
    if (step.request === undefined) return withText(step, this.#current[at]);
    return withRequests ? { ...step, request: this.#current[at] } : step;
  }

  #readers(point: PlanPoint, variable?: string): number[] {
    return this.#after(point, variable).filter((at) => {
      const { index } = this.#items[at];
      return typeof point !== "number" || index === undefined ||
        this.recorded.mayRead(index, point);
    });
  }

  #senders(point: PlanPoint, { until }: SoughtLiteral, variable?: string): number[] {
    const readers = this.#readers(point, variable);
    return until === undefined ? readers : readers.filter((at) => at <= this.#positions[until]);
  }

  #positionOf(point: PlanPoint): number {
    return typeof point === "number" ? this.#positions[point] : this.#steps.get(point)!;
  }

  /** With `variable`, only up to the next request that extracts this variable. */
  #after(point: PlanPoint, variable?: string): number[] {
    const start = this.#positionOf(point);
    const found: number[] = [];
    for (let at = start + 1; at < this.#items.length; at++) {
      if (this.#items[at].scenario !== this.#items[start].scenario) break;
      found.push(at);
      if (this.#current[at].extract?.some(({ name }) => name === variable)) break;
    }
    return found;
  }
}

function listItems(flow: readonly Step[], scenario: string): Omit<Item, "index">[] {
  return flow.flatMap((step) => {
    const original = textOf(step);
    const inner = stepLists(step).flatMap((steps) => listItems(steps, scenario));
    return original === undefined ? inner : [{ step, scenario, original }, ...inner];
  });
}

function textOf({ request, websocket, send, expect }: Step): Request | undefined {
  if (request !== undefined) return request;
  if (websocket !== undefined) {
    const { url, headers } = websocket;
    return { url, ...(headers && { headers }) };
  }
  if (expect !== undefined) return { url: "/", extract: expect.extract };
  if (send === undefined) return undefined;
  if (typeof send === "string") return { url: "/", body: send };
  if (send.text !== undefined) return { url: "/", body: send.text };
  return send.json === undefined ? undefined : { url: "/", body: { json: send.json } };
}

function withText(step: Step, { url, headers, body, extract }: Request): Step {
  if (step.websocket !== undefined) {
    return { websocket: { ...step.websocket, url, ...(headers && { headers }) } } as Step;
  }
  if (step.expect !== undefined) {
    return { expect: { ...step.expect, ...(extract && { extract }) } } as Step;
  }
  if (typeof step.send === "string") return { send: body as string };
  if (step.send?.text !== undefined) return { send: { ...step.send, text: body as string } };
  const { json } = body as { readonly json?: unknown };
  return { send: { ...step.send, json } } as Step;
}

function definedNames(plan: Plan): Set<string> {
  const steps = allFlows(plan).flatMap((flow) => [...listSteps(flow)]);
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  return new Set([
    ...Object.keys(plan.variables ?? {}),
    ...Object.keys(plan.data ?? {}),
    ...[...listRequests(around)].flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
    ...steps.flatMap(({ expect, set, foreach }) => [
      ...(expect?.extract ?? []).map(({ name }) => name),
      ...Object.keys(set ?? {}),
      ...(foreach === undefined ? [] : [foreach.as]),
    ]),
  ]);
}

/** Maximum length of a value in a line, in UTF-16 code units. */
const LONGEST_QUOTED = 60;

/** Quotes a value for the log, and shortens it if it is long. */
export function quoteValue(value: string): string {
  return JSON.stringify(
    value.length > LONGEST_QUOTED ? `${value.slice(0, LONGEST_QUOTED - 1)}…` : value,
  );
}
