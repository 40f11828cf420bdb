import type { NamelessExtractor } from "../../extract/compile_now.ts";
import type { Draft } from "./draft.ts";
import { type DynamicBy, isShortNumber } from "./dynamic.ts";
import { nameHint } from "./names.ts";

/** Kind of source that a value is extracted from; all but `json` need `--correlate`. */
export type Source = "json" | "html" | "header" | "cookie" | "encoded";

/** Every source. */
export const SOURCES: readonly Source[] = ["json", "html", "header", "cookie", "encoded"];

/** An extractor without a name. */
export type Located = NamelessExtractor;

/** A dynamic-looking value in a response. */
export interface Candidate {
  /** The value in the form in which requests send it. */
  readonly value: string;
  /** Name of the member, header, cookie or field that contains it; empty if there is none. */
  readonly key: string;
  readonly source: Source;
  /** Why it looks dynamic; `use` if only because a request sends it. */
  readonly by: DynamicBy | "use";
  /** Whether the extractor returns a number. */
  readonly numeric: boolean;
  /** The call whose response contains it. */
  readonly producer: Draft;
  /** Returns the extractor that reads it from the response. */
  readonly locate: () => Located;
}

/**
 * The candidates for each value. Add them in the order in which their responses ended. Per source, the
 * pool keeps the candidate whose response ended first, plus any from an earlier call. It drops short
 * numbers whose name is not that of an id.
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

  /** Iterates over the values with their candidates, in the order in which they were added. */
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
