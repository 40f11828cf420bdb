import { InputError } from "../../base/errors.ts";
import { growArray } from "./grow_array.ts";

const PAGE = 16;
const MAX_PAGES = 2 ** 23;

/** The contents of `SecondCounts`, as transferable data. */
export interface SecondPages {
  /** Index in `counts` of the 16 seconds from `16 × key` on. */
  readonly pages: ReadonlyMap<number, number>;
  readonly counts: Uint32Array;
}

/** Consecutive seconds and the requests in each. */
export interface SecondRun {
  /** The first second, in Unix time. */
  readonly start: number;
  readonly counts: readonly number[];
}

/**
 * Counts requests per second. Stores only pages of 16 s that contain a request, 64 bytes each. Ten quiet
 * years thus take as little memory as one busy month.
 */
export class SecondCounts implements SecondPages {
  readonly #pages = new Map<number, number>();
  #counts = new Uint32Array(PAGE * 64);
  /** The last used page: its first second, and its index in `counts`. */
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

  /** Adds `requests` to `second`. Throws InputError if there are too many separate pages. */
  add(second: number, requests: number): void {
    let within = second - this.#first;
    if (!(within >= 0 && within < PAGE)) {
      this.#turnTo(Math.floor(second / PAGE));
      within = second - this.#first;
    }
    this.#counts[this.#start + within] += requests;
  }

  /** Adds the counts of another instance. */
  merge(other: SecondPages): void {
    for (const [second, requests] of listSeconds(other)) this.add(second, requests);
  }

  /** Yields every second that has requests and their number, in order. */
  entries(): Generator<[second: number, requests: number]> {
    return listSeconds(this);
  }

  /** Yields the same with consecutive seconds combined. */
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
      if (this.#pages.size === MAX_PAGES) {
        throw new InputError(
          "could not read the log: its requests are spread over too many years; " +
            "convert a shorter period of it",
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

function* listSeconds(data: SecondPages): Generator<[second: number, requests: number]> {
  for (const page of [...data.pages.keys()].sort((a, b) => a - b)) {
    const start = data.pages.get(page)!;
    for (let i = 0; i < PAGE; i++) {
      const requests = data.counts[start + i];
      if (requests > 0) yield [page * PAGE + i, requests];
    }
  }
}
