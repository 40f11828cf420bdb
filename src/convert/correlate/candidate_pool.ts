import { isShortNumber, nameHint, nameWords } from "../../traffic/session/dynamic_value.ts";
import { isWrite } from "../../traffic/session/recorded_call.ts";
import { mayChangeData, producerWords } from "./place_words.ts";
import type { Candidate } from "./sources/source_search.ts";

/**
 * Maximum number of candidates to keep per value and source from responses to calls that may change
 * data.
 */
const MOST_WRITES = 4;
/**
 * Maximum number of candidates for a short number, which can be the id of several resources, or for
 * a number that could be a Unix time.
 */
const MOST_SHORT = 48;

/**
 * Reasons that clearly show which requests send a short number. Candidates without such a reason do
 * not count towards the maximum number of these candidates, because they are often many.
 */
const IS_CLEAR: ReadonlySet<Candidate["by"]> = new Set(["neighbour", "rpc"]);

/**
 * Collects the candidates for each value: the places in responses from which the plan could extract
 * it. The caller must add candidates in the order in which their responses ended. For each value
 * and source, keeps the candidate whose response ended first. Also keeps a later candidate in four
 * cases: its call comes earlier in the plan, its call changes data and may have created the value,
 * the value is a short number or could be a Unix time, or it is a short id between quotes.
 *
 * Ignores a short number unless the name of its field suggests an id, a number or a version, a link
 * or the name of a form field contains it, it is a default option, requests send it in the same
 * base64 as a generated value of the same response, or a JSON-RPC method created an object with this
 * id.
 */
export class CandidatePool {
  readonly #byValue = new Map<string, Candidate[]>();
  readonly #repeated = new Set<string>();
  readonly #resources = new Set<string>();

  add(candidate: Candidate): void {
    const { value, by, key } = candidate;
    const isShort = isShortNumber(value);
    if (isShort && !IN_PLACE.has(by) && !isNumberOfResource(key)) return;
    const known = this.#byValue.get(value);
    if (known === undefined) {
      this.#byValue.set(value, [candidate]);
      return;
    }
    if (known[0].producer !== candidate.producer) this.#repeated.add(value);
    const isFirst = !known.some((other) => precedes(other, candidate));
    if (isShort && !this.#isNewResource(candidate)) return;
    if (
      isFirst || by === "quoted" ||
      (isShort || CLOCK.test(value)
        ? known.filter((other) => IS_CLEAR.has(other.by) === IS_CLEAR.has(by)).length < MOST_SHORT
        : mayHaveCreated(candidate, known))
    ) {
      known.push(candidate);
    }
  }

  /**
   * Reports whether a candidate is the first with its short number, field, resource and kind of
   * call (read or write). Always true for links, options and names of form fields, and for fields
   * whose name does not suggest an id. Without this check, polling could exceed the maximum number of candidates.
   */
  #isNewResource(candidate: Candidate): boolean {
    const { value, source, by, key, producer, neighbour, collection } = candidate;
    const isClear = IS_CLEAR.has(by);
    if (!isClear && (IN_PLACE.has(by) || !nameHint(key).idLike)) return true;
    const words = isClear ? neighbour ?? collection : producerWords(candidate).join(" ");
    const resource = `${value} ${source} ${mayChangeData(producer)} ${key} ${words}`;
    if (this.#resources.has(resource)) return false;
    this.#resources.add(resource);
    return true;
  }

  has(value: string): boolean {
    return this.#byValue.has(value);
  }

  /** Reports whether candidates for the value were found in more than one response. */
  isRepeated(value: string): boolean {
    return this.#repeated.has(value);
  }

  /**
   * Returns an iterator over the values and their candidates, in the order in which the values were
   * added.
   */
  entries(): IterableIterator<[string, Candidate[]]> {
    return this.#byValue.entries();
  }

  values(): IterableIterator<string> {
    return this.#byValue.keys();
  }
}

/**
 * Matches a number that could be a Unix time. Several fields of a form can contain the same time,
 * so the pool keeps more candidates for it.
 */
const CLOCK = /^\d{10}(?:\d{3}){0,3}$/;
/** Reasons (`Candidate.by`) to keep a short number regardless of the name of its field. */
const IN_PLACE: ReadonlySet<Candidate["by"]> = new Set([
  ...["link", "option", "field name", "neighbour", "rpc"] as const,
]);
const NUMBER_NAMES = new Set(["number", "num", "no", "nr", "iid", "pk"]);

/**
 * Reports whether a short number in a field with this name can identify a resource or one of its
 * versions. Other short numbers are usually counts or sizes.
 */
function isNumberOfResource(key: string): boolean {
  const { idLike, stamp } = nameHint(key);
  return idLike || stamp || NUMBER_NAMES.has(nameWords(key).at(-1) ?? "");
}

function precedes(a: Candidate, b: Candidate): boolean {
  return a.source === b.source && a.producer.order <= b.producer.order;
}

function mayHaveCreated({ source, producer }: Candidate, known: readonly Candidate[]): boolean {
  if (!isWrite(producer)) return false;
  const writes = known.filter((other) => other.source === source && isWrite(other.producer));
  return writes.length < MOST_WRITES && writes.every((other) => other.producer !== producer);
}
