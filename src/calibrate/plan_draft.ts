import { isMap } from "../base/exact_number.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { listRequests } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { recordedEntry } from "../plan/text/tags.ts";
import {
  holdsLiteral,
  type LiteralValue,
  replaceLiteral,
  restoreLiteral,
  textsWithLiteral,
  usesVariable,
  type WrittenVariable,
} from "./literal_edit.ts";
import { PlanNames } from "./plan_names.ts";
import { type SentAfter, type SocketText, SocketTexts } from "./socket_texts.ts";
import { findRepeatedRequests, type RepeatedRequest } from "./repeated_requests.ts";

/** Saved state of a draft, to pass to `restore`. */
export interface DraftState {
  readonly requests: readonly Request[];
  readonly socketTexts: readonly SocketText[];
}

/**
 * A plan whose requests are amended one edit at a time. Requests are numbered from 0, in plan
 * order. Each virtual user has its own variables and runs one scenario. An edit therefore changes
 * only the scenario that contains the edited request.
 */
export class PlanDraft {
  /** Names that the original plan defines, except by extractors of the amended requests. */
  readonly names: PlanNames;
  readonly #plan: Plan;
  readonly #original: readonly Request[];
  readonly #indexes: ReadonlyMap<Request, number>;
  /** Name of the scenario of each request. */
  readonly #scenarios: readonly string[];
  readonly #repeated: ReadonlyMap<Request, RepeatedRequest>;
  readonly #sockets: SocketTexts;
  #requests: readonly Request[];

  constructor(plan: Plan) {
    this.#plan = plan;
    const listed = Object.entries(plan.scenarios).flatMap(([name, { flow }]) =>
      Array.from(listRequests(flow), (request) => ({ name, request }))
    );
    this.#original = listed.map(({ request }) => request);
    this.#scenarios = listed.map(({ name }) => name);
    this.#indexes = new Map(this.#original.map((request, index) => [request, index]));
    this.#requests = this.#original;
    this.#sockets = new SocketTexts(plan);
    this.names = new PlanNames(plan);
    this.#repeated = new Map(
      Object.values(plan.scenarios).flatMap(({ flow }) => [...findRepeatedRequests(flow)]),
    );
  }

  /** Number of requests. */
  get size(): number {
    return this.#requests.length;
  }

  /** Number of requests and WebSocket steps that differ from the original plan. */
  get edits(): number {
    return this.#sockets.edits +
      this.#requests.filter((request, i) => request !== this.#original[i]).length;
  }

  /**
   * Returns the number of a request of the original plan, or undefined if no scenario contains it.
   */
  indexOf(original: Request): number | undefined {
    return this.#indexes.get(original);
  }

  /** Returns how the plan repeats a request, or undefined if it sends the request once. */
  repeatedAt(index: number): RepeatedRequest | undefined {
    return this.#repeated.get(this.#original[index]);
  }

  /** Returns a request with all edits. */
  at(index: number): Request {
    return this.#requests[index];
  }

  /** Returns a request as it was before any edit. */
  original(index: number): Request {
    return this.#original[index];
  }

  /**
   * Returns the one-based index of the recorded entry that a request replays. Returns undefined if
   * the request does not replay an entry.
   */
  entryOf(index: number): number | undefined {
    return recordedEntry(this.#original[index]);
  }

  /** Returns the name of the scenario that contains a request. */
  scenarioAt(index: number): string {
    return this.#scenarios[index];
  }

  /**
   * Returns the request numbers of each scenario that replays a recording, keyed by the name of the
   * scenario. In such a scenario, at least one request replays a recorded entry.
   */
  replayed(): Map<string, number[]> {
    const indexes = Array.from(this.#original, (_, index) => index);
    const scenarios = Map.groupBy(indexes, (index) => this.#scenarios[index]);
    return new Map(
      [...scenarios].filter(([, own]) => own.some((index) => this.entryOf(index) !== undefined)),
    );
  }

  /** Reports whether two requests belong to the same scenario. */
  areTogether(index: number, other: number): boolean {
    return this.#scenarios[index] === this.#scenarios[other];
  }

  /** Returns the current state. */
  save(): DraftState {
    return { requests: this.#requests, socketTexts: this.#sockets.texts };
  }

  /** Restores a saved state of the draft. */
  restore({ requests, socketTexts }: DraftState): void {
    this.#requests = requests;
    this.#sockets.texts = socketTexts;
  }

  /** Replaces the requests from `start` to the end of the scenario with the results of `edit`. */
  edit(start: number, edit: (request: Request, index: number) => Request): void {
    this.#edit((i) => i >= start && this.areTogether(i, start), edit);
  }

  /** Replaces all requests of the scenario that contains `index` with the results of `edit`. */
  editScenario(index: number, edit: (request: Request) => Request): void {
    this.#edit((i) => this.areTogether(i, index), edit);
  }

  /** Replaces all requests with the results of `edit`. */
  editAll(edit: (request: Request) => Request): void {
    this.#edit(() => true, edit);
  }

  #edit(
    isIncluded: (index: number) => boolean,
    edit: (request: Request, index: number) => Request,
  ): void {
    this.#requests = this.#requests.map((request, i) => {
      if (!isIncluded(i)) return request;
      const edited = edit(request, i);
      return JSON.stringify(edited) === JSON.stringify(request) ? request : edited;
    });
  }

  /** Returns the numbers of the requests after `index` in its scenario. */
  later(index: number): number[] {
    return this.#requests.flatMap((_, i) => i > index && this.areTogether(i, index) ? [i] : []);
  }

  /** Returns the numbers of the requests before `index` in its scenario. */
  earlier(index: number): number[] {
    return this.#requests.flatMap((_, i) => i < index && this.areTogether(i, index) ? [i] : []);
  }

  /**
   * Returns everything that the scenario sends after the request `index`: its requests, and the
   * messages that WebSocket steps send, each represented as a request.
   */
  sentAfter(index: number): Request[] {
    return [
      ...this.later(index).map((i) => this.#requests[i]),
      ...this.#sockets.sentWithin(this.#after(index)),
    ];
  }

  /**
   * Reports whether the scenario sends a literal after the request `index`, in a request or message
   * in which the literal can be replaced.
   */
  isSentAfter(index: number, literal: LiteralValue): boolean {
    return this.textsAfter(index, literal).length > 0;
  }

  /**
   * Searches the scenario's requests and messages after the request `index` for a literal. Returns
   * the strings that contain it.
   */
  textsAfter(index: number, literal: LiteralValue): RequestText[] {
    return [
      ...this.later(index).flatMap((i) => textsWithLiteral(this.#requests[i], literal)),
      ...this.#sockets.withLiteral(this.#after(index), literal),
    ];
  }

  /**
   * Reports whether the original plan sends a literal to a WebSocket before the response to the
   * request `index`.
   */
  isInMessageBefore(index: number, literal: LiteralValue): boolean {
    return this.#sockets.isSentBefore(this.#after(index), literal);
  }

  /** Reports whether a message after the response to the request `index` contains a literal. */
  isInMessageAfter(index: number, literal: LiteralValue): boolean {
    return this.#sockets.withLiteral(this.#after(index), literal).length > 0;
  }

  /**
   * Searches the scenario's requests and messages after an `expect` step of the original plan for a
   * literal. Returns the strings that contain it.
   */
  textsAfterMessage(step: Step, literal: LiteralValue): RequestText[] {
    const where = this.#sockets.after(step);
    return [
      ...this.#requests.filter((_, i) => this.#isAfter(i, where))
        .flatMap((request) => textsWithLiteral(request, literal)),
      ...this.#sockets.withLiteral(where, literal),
    ];
  }

  /** Reports whether the original plan sends a literal before an `expect` step. */
  isSentBeforeMessage(step: Step, literal: LiteralValue): boolean {
    const where = this.#sockets.after(step);
    return this.#sockets.isSentBefore(where, literal) ||
      this.#original.some((request, i) =>
        this.#scenarios[i] === where.scenario && i <= where.index && holdsLiteral(request, literal)
      );
  }

  /**
   * Adds an extractor to an `expect` step of the original plan. In all requests and messages that
   * the scenario sends after the step, replaces a literal with the variable of the extractor.
   * Returns the numbers of these requests, and the number of these messages.
   */
  extractFromMessage(
    step: Step,
    extractor: Extractor,
    literal: LiteralValue,
    written: WrittenVariable,
  ): { readonly consumers: readonly number[]; readonly messages: number } {
    const where = this.#sockets.after(step);
    const isAfter = (i: number) => this.#isAfter(i, where);
    this.#sockets.extract(where, extractor);
    this.#sockets.replace(where, literal, written);
    this.#edit(isAfter, (request) => replaceLiteral(request, literal, written));
    const consumers = this.#requests.flatMap((request, i) =>
      isAfter(i) && usesVariable(request, extractor.name) ? [i] : []
    );
    return { consumers, messages: this.#sockets.uses(where, extractor.name) };
  }

  /** Returns the number of the last request of the scenario before an `expect` step, if any. */
  requestBefore(step: Step): number | undefined {
    const { scenario, index } = this.#sockets.after(step);
    return this.#scenarios[index] === scenario ? index : undefined;
  }

  #isAfter(index: number, where: SentAfter): boolean {
    return this.#scenarios[index] === where.scenario && index > where.index;
  }

  /** Returns the number of messages that use a variable set by the request `index`. */
  messagesWith(index: number, variable: string): number {
    return this.#sockets.uses(this.#after(index, variable), variable);
  }

  /**
   * Returns the part of the scenario after a request. With `variable`, the part ends at the next
   * request that extracts this variable.
   */
  #after(index: number, variable?: string): SentAfter {
    const until = variable === undefined
      ? undefined
      : this.later(index).find((i) => extracts(this.#requests[i], variable));
    return { scenario: this.#scenarios[index], index, ...(until !== undefined && { until }) };
  }

  /**
   * Adds an extractor to a request. In all later requests and messages of the scenario, replaces a
   * literal with the variable of the extractor. If the plan repeats the request, the extractor gets
   * an empty default, because earlier responses may not contain the value.
   */
  extract(
    index: number,
    extractor: Extractor,
    literal: LiteralValue,
    written: WrittenVariable,
  ): void {
    const added = this.repeatedAt(index) === undefined ? extractor : { ...extractor, default: "" };
    this.edit(
      index,
      (request, i) =>
        i === index ? { ...request, extract: [...request.extract ?? [], added] } : request,
    );
    this.replaceAfter(index, literal, written);
  }

  /**
   * Replaces a literal with a variable in the requests and messages of the scenario after the
   * request `index`.
   */
  replaceAfter(index: number, literal: LiteralValue, written: WrittenVariable): void {
    this.#sockets.replace(this.#after(index), literal, written);
    this.edit(
      index,
      (request, i) => i === index ? request : replaceLiteral(request, literal, written),
    );
  }

  /**
   * Removes the extractor of a variable from a request. In the requests and messages that follow,
   * up to the next request that extracts the same variable, replaces the variable with a literal.
   */
  release(index: number, variable: string, value: string, numeric: boolean): void {
    this.#sockets.restore(this.#after(index, variable), variable, value, numeric);
    const next = this.later(index).find((i) => extracts(this.#requests[i], variable));
    this.edit(index, (request, i) => {
      if (next !== undefined && i > next) return request;
      if (i > index) return restoreLiteral(request, variable, value, numeric);
      const extract = request.extract?.filter(({ name }) => name !== variable);
      return { ...request, extract: extract?.length ? extract : undefined };
    });
  }

  /** Returns the numbers of the requests that use a variable set by the request `index`. */
  consumers(index: number, variable: string): number[] {
    const used: number[] = [];
    for (const i of this.later(index)) {
      if (usesVariable(this.#requests[i], variable)) used.push(i);
      if (extracts(this.#requests[i], variable)) break;
    }
    return used;
  }

  /** Reports whether a request sends a template, alone or within longer text. */
  sends(index: number, template: string): boolean {
    return JSON.stringify(this.#requests[index]).includes(JSON.stringify(template).slice(1, -1));
  }

  /** Reports whether a request sends `${uuid(NAME)}` with this name. */
  usesUuid(name: string): boolean {
    return this.#requests.some((request) => JSON.stringify(request).includes(`uuid(${name})`));
  }

  /** Returns a variable name that the plan does not use yet, derived from a field name. */
  unusedName(field: string): string {
    const extracted = this.#requests.flatMap(({ extract = [] }) => extract.map((e) => e.name));
    return this.names.unusedName(field, [...extracted, ...this.#sockets.extracted]);
  }

  /** Returns the amended plan. */
  toPlan(): Plan {
    return { ...this.#plan, scenarios: this.#replaced(this.#plan.scenarios) as Plan["scenarios"] };
  }

  /**
   * Returns a flow of the original plan with the edits to its WebSocket messages. Keeps the request
   * objects of the original plan, so that `indexOf` can find them.
   */
  withMessages(flow: readonly Step[]): Step[] {
    return this.#replaced(flow, (request) => request) as Step[];
  }

  #replaced(
    value: unknown,
    requestAt = (_: Request, index: number) => this.#requests[index],
  ): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replaced(item, requestAt));
    if (!isMap(value)) return value;
    const index = this.#indexes.get(value as Request);
    if (index !== undefined) return requestAt(value as Request, index);
    return Object.fromEntries(
      Object.entries(this.#sockets.amended(value as Step)).map(([key, member]) => [
        key,
        this.#replaced(member, requestAt),
      ]),
    );
  }
}

function extracts(request: Request, variable: string): boolean {
  return request.extract?.some(({ name }) => name === variable) ?? false;
}
