import { InputError } from "../../base/errors.ts";
import { growArray } from "./grow_array.ts";

const PAGE = 16;
const MOST_PAGES = 2 ** 23;

/** What `SecondCounts` holds; as one thread can send it to another. */
export interface SecondPages {
  /** Where in `counts` the 16 seconds from `16 × key` on stand. */
  readonly pages: ReadonlyMap<number, number>;
  readonly counts: Uint32Array;
}

/** Seconds that follow each other without a gap, and the requests in each. */
export interface SecondRun {
  /** The first of them, in UTC from 1970. */
  readonly start: number;
  readonly counts: readonly number[];
}

/**
 * How many requests fell in each second. Only stretches of 16 s in which something happened are
 * kept, 64 bytes each, so that ten quiet years cost as little as one busy month.
 */
export class SecondCounts implements SecondPages {
  readonly #pages = new Map<number, number>();
  #counts = new Uint32Array(PAGE * 64);
  /** The page used last: its first second, and where it starts in `counts`. */
  #first = -PAGE;
  #start = 0;

  /** See `SecondPages`. */
  get pages(): ReadonlyMap<number, number> {
    return this.#pages;
  }

  /** See `SecondPages`. */
  get counts(): Uint32Array {
    return this.#counts;
  }

  /** Counts `requests` more in `second`. Throws InputError when the seconds lie too far and wide. */
  add(second: number, requests: number): void {
    let within = second - this.#first;
    if (!(within >= 0 && within < PAGE)) {
      this.#turnTo(Math.floor(second / PAGE));
      within = second - this.#first;
    }
    this.#counts[this.#start + within] += requests;
  }

  /** Adds what another counted. */
  merge(other: SecondPages): void {
    for (const [second, requests] of listSeconds(other)) this.add(second, requests);
  }

  /** Every second with requests in it and their number, in order. */
  entries(): Generator<[second: number, requests: number]> {
    return listSeconds(this);
  }

  /** The same, seconds that follow each other put together. */
  *runs(): Generator<SecondRun> {
    let start = NaN;
    let counts: number[] = [];
    for (const [second, requests] of this.entries()) {
      if (second !== start + counts.length) {
        if (counts.length > 0) yield { start, counts };
        [start, counts] = [second, []];
      }
      counts.push(requests);
    }
    if (counts.length > 0) yield { start, counts };
  }

  #turnTo(page: number): void {
    let start = this.#pages.get(page);
    if (start === undefined) {
      if (this.#pages.size === MOST_PAGES) {
        throw new InputError(
          "could not read the log: its requests are scattered over too many years; " +
            "convert a shorter stretch of it",
          { source: "access log" },
        );
      }
      start = this.#pages.size * PAGE;
      this.#counts = growArray(this.#counts, start + PAGE);
      this.#pages.set(page, start);
    }
    this.#first = page * PAGE;
    this.#start = start;
  }
}

function* listSeconds(held: SecondPages): Generator<[second: number, requests: number]> {
  for (const page of [...held.pages.keys()].sort((a, b) => a - b)) {
    const start = held.pages.get(page)!;
    for (let i = 0; i < PAGE; i++) {
      const requests = held.counts[start + i];
      if (requests > 0) yield [page * PAGE + i, requests];
    }
  }
}
