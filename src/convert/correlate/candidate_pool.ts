import { isShortNumber } from "../../traffic/session/dynamic_value.ts";
import { nameHint } from "../../traffic/session/field_names.ts";
import type { Candidate } from "./sources/candidate.ts";

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
