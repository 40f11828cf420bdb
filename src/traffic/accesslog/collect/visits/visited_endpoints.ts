import { ByteIndex } from "../../../../base/byte_index.ts";
import { stringAt } from "../byte_strings.ts";
import type { RecordedVisits } from "./visit_recorder.ts";

/**
 * Endpoints that a recorder has numbered. The index of an endpoint in both lists is its number in
 * the recorder.
 */
export interface KnownEndpoints {
  readonly keys: Uint8Array[];
  /** Number that `VisitedEndpoints` assigned to each endpoint, or -1 if not yet assigned. */
  readonly numbers: number[];
}

/**
 * Numbers the endpoints that were requested by the sampled visitors in a log. Each thread that
 * reads the log numbers the endpoints separately. This class converts these numbers to its own.
 */
export class VisitedEndpoints {
  #keys = new ByteIndex();
  #levels: number[] = [];
  /** Endpoints that the recorder of each thread has numbered, by thread number. */
  readonly #threads = new Map<number, KnownEndpoints>();

  /** Number of endpoints. */
  get size(): number {
    return this.#keys.size;
  }

  /** The endpoints as `METHOD route`, by number. */
  get keys(): ByteIndex {
    return this.#keys;
  }

  /** Highest sampling level of the visitors of each endpoint, indexed by endpoint number. */
  get levels(): readonly number[] {
    return this.#levels;
  }

  /** Returns the endpoint with this number as `METHOD route`. */
  name(number: number): string {
    return new TextDecoder().decode(this.#keys.at(number).slice());
  }

  /**
   * Adds the endpoints in `keys` to those that the recorder of a thread has numbered since its last
   * reset, and returns all of them.
   */
  ofThread({ keys, isReset }: RecordedVisits, thread: number): KnownEndpoints {
    let known = this.#threads.get(thread);
    if (known === undefined || isReset) {
      this.#threads.set(thread, known = { keys: [], numbers: [] });
    }
    for (let i = 0; i < keys.ends.length; i++) {
      known.keys.push(stringAt(keys, i));
      known.numbers.push(-1);
    }
    return known;
  }

  /**
   * Converts `endpoint`, a number assigned by a thread's recorder, to the number that this object
   * assigned to the same endpoint. Assigns a number if the endpoint is new. `level` is the sampling
   * level of the visitor who requested the endpoint.
   */
  numberOf({ keys, numbers }: KnownEndpoints, endpoint: number, level: number): number {
    let number = numbers[endpoint];
    if (number < 0) number = numbers[endpoint] = this.number(keys[endpoint], level);
    else if (level > this.#levels[number]) this.#levels[number] = level;
    return number;
  }

  /**
   * Returns the number of the endpoint `key`, which a visitor with the sampling level `level`
   * requested. Assigns a number if the endpoint is new.
   */
  number(key: Uint8Array, level: number): number {
    const number = this.#keys.number(key);
    this.#levels[number] = Math.max(level, this.#levels[number] ?? 0);
    return number;
  }

  /**
   * Drops all endpoints that only visitors below the sampling level `level` requested. Returns the
   * new number of each endpoint by its old number, or -1 if it was dropped.
   */
  raise(level: number): number[] {
    const [keys, levels] = [this.#keys, this.#levels];
    [this.#keys, this.#levels] = [new ByteIndex(), []];
    const numbers = levels.map((highest, i) =>
      highest < level ? -1 : this.number(keys.at(i), highest)
    );
    for (const known of this.#threads.values()) {
      known.numbers.forEach((number, i) => known.numbers[i] = number < 0 ? -1 : numbers[number]);
    }
    return numbers;
  }

  /**
   * Returns the position of each endpoint in the list of endpoints sorted by name. The result is
   * indexed by endpoint number.
   */
  ranks(): Uint32Array {
    const names = this.#levels.map((_, i) => this.name(i));
    const order = names.map((_, i) => i).sort((a, b) => names[a] < names[b] ? -1 : 1);
    const ranks = new Uint32Array(names.length);
    for (const [rank, number] of order.entries()) ranks[number] = rank;
    return ranks;
  }
}
