import type { NamelessExtractor } from "../../extract/compile_now.ts";
import type { Draft } from "./draft.ts";
import { type DynamicBy, isShortNumber } from "./dynamic.ts";
import { nameHint } from "./names.ts";

/** Where a value is taken from; all but `json` only when asked for. */
export type Source = "json" | "html" | "header" | "cookie" | "encoded";

/** Every source. */
export const SOURCES: readonly Source[] = ["json", "html", "header", "cookie", "encoded"];

/** An extractor that has no name yet. */
export type Located = NamelessExtractor;

/** A dynamic-looking value in a response. */
export interface Candidate {
  /** As requests send it. */
  readonly value: string;
  /** The name that it stands under; empty when there is none. */
  readonly key: string;
  readonly source: Source;
  readonly by: DynamicBy | "use";
  /** The extractor gives a number. */
  readonly numeric: boolean;
  readonly producer: Draft;
  /** The extractor that takes it from the response. */
  readonly locate: () => Located;
}

/**
 * The candidates for each value, fed with responses in the order in which they ended. Of each source
 * the first to end is kept, and those that ended later but belong to an earlier call. A short number
 * counts only under the name of an id.
 */
export class CandidatePool {
  readonly #byValue = new Map<string, Candidate[]>();

  add(candidate: Candidate): void {
    if (isShortNumber(candidate.value) && !nameHint(candidate.key).idLike) return;
    const known = this.#byValue.get(candidate.value);
    if (known === undefined) this.#byValue.set(candidate.value, [candidate]);
    else if (!known.some((other) => precedes(other, candidate))) known.push(candidate);
  }

  has(value: string): boolean {
    return this.#byValue.has(value);
  }

  /** Values with their candidates, first ended first. */
  entries(): IterableIterator<[string, Candidate[]]> {
    return this.#byValue.entries();
  }

  values(): IterableIterator<string> {
    return this.#byValue.keys();
  }
}

function precedes(a: Candidate, b: Candidate): boolean {
  return a.source === b.source && a.producer.order <= b.producer.order;
}
