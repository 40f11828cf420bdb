import type { Request } from "../plan/kinds/request.ts";
import { usesVariable } from "./literal_edit.ts";
import { isWriteRequest } from "./write_budget.ts";

/** A request as it was sent, and the length of the preceding pause in milliseconds. */
interface SentRequest {
  readonly request: Request;
  readonly pause: number;
}

/**
 * Assigns numbers to requests by what they send. Requests that differ only in their extractors,
 * assertions and checks get equal numbers.
 */
export class RequestTexts {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<Request, number>();

  /** Returns the number of a request. Ignores its extractors, assertions and checks. */
  numberOf(request: Request): number {
    const known = this.#known.get(request);
    if (known !== undefined) return known;
    const text = JSON.stringify({
      ...request,
      extract: undefined,
      assert: undefined,
      checks: undefined,
    });
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(request, number);
    return number;
  }
}

/**
 * The plan's requests that a user sent in one iteration. They contain references to variables
 * instead of values.
 */
export class SentRequests {
  readonly #texts: RequestTexts;
  readonly #sent = new Map<number, SentRequest>();

  constructor(texts: RequestTexts) {
    this.#texts = texts;
  }

  /**
   * Adds a request that was sent. `index` is its number in the plan, and `pause` is the pause
   * before it in milliseconds. Replaces an earlier attempt at the same request.
   */
  add(index: number, request: Request, pause: number): void {
    this.#sent.set(index, { request, pause });
  }

  /**
   * Returns a string that identifies everything in the plan that the response to a request may
   * depend on: the request, the writes before it, the requests that extract its variables, and the
   * pauses before them. If two attempts at a call have the same string, no edit explains why only
   * one succeeded. `at` returns a request of the plan with its current extractors.
   */
  related(index: number, at: (index: number) => Request): string {
    const own = this.#sent.get(index);
    if (own === undefined) return "";
    const found: SentRequest[] = [own];
    const earlier = [...this.#sent].filter(([i]) => i < index).sort(([a], [b]) => b - a);
    const parts = [this.#part(index, own)];
    for (const [i, sent] of earlier) {
      if (!isWriteRequest(sent.request) && !isSource(at(i), found)) continue;
      found.push(sent);
      parts.push(this.#part(i, sent));
    }
    return parts.join(" ");
  }

  #part(index: number, { request, pause }: SentRequest): string {
    return `${index}:${this.#texts.numberOf(request)}:${pause}`;
  }
}

/** Reports whether a request extracts a variable that one of the other requests sends. */
function isSource({ extract = [] }: Request, others: readonly SentRequest[]): boolean {
  return extract.some(({ name }) => others.some(({ request }) => usesVariable(request, name)));
}
