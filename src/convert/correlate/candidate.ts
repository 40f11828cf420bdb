import type { NamelessExtractor } from "../../extract/compile_now.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { type DynamicBy, isShortNumber } from "../../traffic/session/dynamic_value.ts";
import { nameHint } from "../../traffic/session/field_names.ts";

/**
 * Kind of response content from which a value is extracted. All kinds except `json` need `--correlate`;
 * `encoded` is a value that requests send in another encoding.
 */
export type Source = "json" | "html" | "header" | "cookie" | "encoded";

/** All kinds of sources. */
export const SOURCES: readonly Source[] = ["json", "html", "header", "cookie", "encoded"];

/** An extractor that has no variable name yet. */
export type Located = NamelessExtractor;

/** A dynamic-looking value in a response. */
export interface Candidate {
  /** The value in the form in which requests send it. */
  readonly value: string;
  /** Name of the member, header, cookie or field that contains it; empty if there is none. */
  readonly key: string;
  readonly source: Source;
  /** Reason why the value looks dynamic; `use` if the only reason is that a request sends it. */
  readonly by: DynamicBy | "use";
  /** True if the extractor returns a number instead of a string. */
  readonly numeric: boolean;
  /** The call whose response contains it. */
  readonly producer: RecordedCall;
  /** Creates the extractor that reads the value from the response. */
  readonly locate: () => Located;
}

/**
 * Collects the candidates for each value. Add them in the order in which their responses ended. For each
 * value and source, keeps the candidate whose response ended first, and later ones only if their call
 * comes earlier in the plan. Ignores numbers of fewer than four digits unless their field has the name
 * of an id.
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
