import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { listRequests, stepLists } from "../plan/kinds/list_requests.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import {
  holdsLiteral,
  type LiteralValue,
  replaceLiteral,
  restoreLiteral,
  textsWithLiteral,
  usesVariable,
  type WrittenVariable,
} from "./literal_edit.ts";

/**
 * The strings that a plan sends when it opens a WebSocket or sends a message, or the extractors
 * that it applies to a received message. They are stored as a request, so that the functions that
 * edit requests can edit them too.
 */
export interface SocketText {
  /** The `websocket`, `send` or `expect` step in the original plan. */
  readonly step: Step;
  readonly scenario: string;
  /** Number of requests of the plan before the step, in all scenarios. */
  readonly before: number;
  readonly request: Request;
}

/**
 * A range of a scenario: what the plan sends after one request or received message and, optionally,
 * before another request.
 */
export interface SentAfter {
  readonly scenario: string;
  /** Zero-based index of the request after which the range starts. */
  readonly index: number;
  /**
   * Zero-based index of the request before which the range ends. If absent, the range extends to
   * the end of the scenario.
   */
  readonly until?: number;
  /**
   * Position of the WebSocket step after which the range starts, among the WebSocket steps of the
   * plan. If absent, the range contains all WebSocket steps after the request `index`.
   */
  readonly step?: number;
}

/** Strings that the scenarios of a plan send to WebSockets. They are amended one edit at a time. */
export class SocketTexts {
  readonly #original: readonly SocketText[];
  /** The strings with all edits, in the order of the plan. */
  texts: readonly SocketText[];

  constructor({ scenarios }: Pick<Plan, "scenarios">) {
    let before = 0;
    this.#original = Object.entries(scenarios).flatMap(([scenario, { flow }]) => {
      const found = listSocketTexts(flow, scenario, before);
      before += [...listRequests(flow)].length;
      return found;
    });
    this.texts = this.#original;
  }

  /** Number of steps that differ from the original plan. */
  get edits(): number {
    return this.texts.filter((text, i) => text !== this.#original[i]).length;
  }

  /** Returns what the steps in the range `where` send, each in the form of a request. */
  sentWithin(where: SentAfter): Request[] {
    return this.#within(where).map(({ request }) => request);
  }

  /**
   * Returns the strings in the range `where` that contain a literal at a place where it can be
   * replaced.
   */
  withLiteral(where: SentAfter, literal: LiteralValue): RequestText[] {
    return this.#within(where)
      .flatMap(({ request }) => textsWithLiteral(request, literal));
  }

  /**
   * Reports whether the original plan sends a literal before the start of the range: before the
   * response to the request `index`, or before the step `step`.
   */
  isSentBefore({ scenario, index, step }: SentAfter, literal: LiteralValue): boolean {
    return this.#original.some((text, i) =>
      text.scenario === scenario && (step === undefined ? text.before <= index : i < step) &&
      holdsLiteral(text.request, literal)
    );
  }

  /** Returns the range of a scenario after an `expect` step of the original plan. */
  after(step: Step): SentAfter {
    const at = this.#original.findIndex((text) => text.step === step);
    const { scenario, before } = this.#original[at];
    return { scenario, index: before - 1, step: at };
  }

  /**
   * Adds an extractor to the `expect` step with the index `step`, after which the given range
   * starts.
   */
  extract({ step }: SentAfter, extractor: Extractor): void {
    this.texts = this.texts.map((text, i) => {
      if (i !== step) return text;
      const extract = [...text.request.extract ?? [], extractor];
      return { ...text, request: { ...text.request, extract } };
    });
  }

  /** Names of the variables that `expect` steps extract. */
  get extracted(): string[] {
    return this.texts.flatMap(({ request }) => (request.extract ?? []).map(({ name }) => name));
  }

  /** Replaces a literal with a variable in the range `where`. */
  replace(where: SentAfter, literal: LiteralValue, written: WrittenVariable): void {
    this.#edit(where, (request) => replaceLiteral(request, literal, written));
  }

  /** Replaces a variable with the literal `value` in the range `where`. */
  restore(where: SentAfter, variable: string, value: string, numeric: boolean): void {
    this.#edit(where, (request) => restoreLiteral(request, variable, value, numeric));
  }

  /** Returns the number of steps in the range `where` that use a variable. */
  uses(where: SentAfter, variable: string): number {
    return this.#within(where).filter(({ request }) => usesVariable(request, variable)).length;
  }

  /**
   * Returns an edited copy of a step of the original plan, or the step itself if its strings were
   * not edited. Does not edit nested steps.
   */
  amended(step: Step): Step {
    const at = this.#original.findIndex((text) => text.step === step);
    return at < 0 || this.texts[at] === this.#original[at]
      ? step
      : withSocketText(step, this.texts[at].request);
  }

  #within(where: SentAfter): readonly SocketText[] {
    return this.texts.filter((text, i) => isWithin(text, i, where));
  }

  #edit(where: SentAfter, edit: (request: Request) => Request): void {
    this.texts = this.texts.map((text, i) => {
      if (!isWithin(text, i, where)) return text;
      const request = edit(text.request);
      return JSON.stringify(request) === JSON.stringify(text.request) ? text : { ...text, request };
    });
  }
}

function isWithin({ scenario, before }: SocketText, at: number, where: SentAfter): boolean {
  return scenario === where.scenario && before > where.index &&
    (where.step === undefined || at > where.step) &&
    (where.until === undefined || before <= where.until);
}

/** Lists what a flow sends over WebSockets. `before` is the number of requests before the flow. */
function listSocketTexts(flow: readonly Step[], scenario: string, before: number): SocketText[] {
  const found: SocketText[] = [];
  let count = before;
  const visit = (steps: readonly Step[]) => {
    for (const step of steps) {
      if (step.request !== undefined) count++;
      const request = toRequest(step);
      if (request !== undefined) found.push({ step, scenario, before: count, request });
      stepLists(step).forEach(visit);
    }
  };
  visit(flow);
  return found;
}

/** Replaces the strings that a step sends, or its extractors, with those of a request. */
function withSocketText(step: Step, { url, headers, body, extract }: Request): Step {
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

/**
 * Returns a request that contains the strings that a WebSocket step sends: its URL and headers, or
 * its message as the body. For an `expect` step, the request contains its extractors. Returns
 * undefined for any other step, and if the step sends no text.
 */
function toRequest({ websocket, send, expect }: Step): Request | undefined {
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
