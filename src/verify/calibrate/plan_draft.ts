import { isMap } from "../../base/exact_number.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { listRequests } from "../../plan/kinds/steps/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { RESERVED } from "../../plan/expressions/reserved.ts";
import { recordedEntry } from "../../plan/text/recorded_tag.ts";
import {
  holdsLiteral,
  type LiteralValue,
  replaceLiteral,
  restoreLiteral,
  usesVariable,
  type WrittenVariable,
} from "./literal_edit.ts";

/** State of a draft, to which it can return. */
export interface DraftState {
  readonly requests: readonly Request[];
}

/** A plan whose requests are amended one edit at a time. Requests are numbered from 0, in plan order. */
export class PlanDraft {
  readonly #plan: Plan;
  readonly #original: readonly Request[];
  readonly #indexes: ReadonlyMap<Request, number>;
  #requests: readonly Request[];

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#original = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
    this.#indexes = new Map(this.#original.map((request, index) => [request, index]));
    this.#requests = this.#original;
  }

  /** Number of requests. */
  get size(): number {
    return this.#requests.length;
  }

  /** Number of requests that differ from the original plan. */
  get edits(): number {
    return this.#requests.filter((request, i) => request !== this.#original[i]).length;
  }

  /** Returns the number of a request of the original plan. */
  indexOf(original: Request): number {
    return this.#indexes.get(original)!;
  }

  /** Returns a request as amended. */
  at(index: number): Request {
    return this.#requests[index];
  }

  /** Returns the number of the recorded entry that a request replays, from 1, or undefined. */
  entryOf(index: number): number | undefined {
    return recordedEntry(this.#original[index]);
  }

  /** Returns the current state. */
  save(): DraftState {
    return { requests: this.#requests };
  }

  /** Returns to a state. */
  restore({ requests }: DraftState): void {
    this.#requests = requests;
  }

  /** Replaces the requests from `start` on by the results of `edit`. */
  edit(start: number, edit: (request: Request, index: number) => Request): void {
    this.#requests = this.#requests.map((request, i) => {
      if (i < start) return request;
      const edited = edit(request, i);
      return JSON.stringify(edited) === JSON.stringify(request) ? request : edited;
    });
  }

  /** Reports whether a request after `index` contains a literal that can be replaced. */
  isSentAfter(index: number, literal: LiteralValue): boolean {
    return this.#requests.some((request, i) => i > index && holdsLiteral(request, literal));
  }

  /** Adds an extractor to a request, and replaces a literal in all later requests by its variable. */
  extract(
    index: number,
    extractor: Extractor,
    literal: LiteralValue,
    written: WrittenVariable,
  ): void {
    this.edit(
      index,
      (request, i) =>
        i === index
          ? { ...request, extract: [...request.extract ?? [], extractor] }
          : replaceLiteral(request, literal, written),
    );
  }

  /**
   * Removes the extractor of a variable from a request, and writes a literal in place of the variable
   * up to the next request that extracts the same variable.
   */
  release(index: number, variable: string, value: string, numeric: boolean): void {
    const next = this.#requests.findIndex((request, i) => i > index && extracts(request, variable));
    this.edit(index, (request, i) => {
      if (next >= 0 && i > next) return request;
      if (i > index) return restoreLiteral(request, variable, value, numeric);
      const extract = request.extract?.filter(({ name }) => name !== variable);
      return { ...request, extract: extract?.length ? extract : undefined };
    });
  }

  /** Returns the numbers of the requests that use a variable set by the request `index`. */
  consumers(index: number, variable: string): number[] {
    const used: number[] = [];
    for (let i = index + 1; i < this.#requests.length; i++) {
      if (usesVariable(this.#requests[i], variable)) used.push(i);
      if (extracts(this.#requests[i], variable)) break;
    }
    return used;
  }

  /** Returns a variable name that the plan does not use yet, derived from a field name. */
  unusedName(field: string): string {
    const bare = field.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
      .replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40) || "value";
    const base = /^\d/.test(bare) ? `value_${bare}` : bare;
    const taken = new Set(this.#requests.flatMap(({ extract = [] }) => extract.map((e) => e.name)));
    let name = base;
    for (let n = 2; taken.has(name) || RESERVED.has(name); n++) name = `${base}_${n}`;
    return name;
  }

  /** Returns the amended plan. */
  toPlan(): Plan {
    return { ...this.#plan, scenarios: this.#replaced(this.#plan.scenarios) as Plan["scenarios"] };
  }

  #replaced(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replaced(item));
    if (!isMap(value)) return value;
    const index = this.#indexes.get(value as Request);
    if (index !== undefined) return this.#requests[index];
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.#replaced(member)]),
    );
  }
}

function extracts(request: Request, variable: string): boolean {
  return request.extract?.some(({ name }) => name === variable) ?? false;
}
