import type { Tally } from "../profile/tally.ts";
import { FIELD_INDEX } from "../read/log_fields.ts";
import { LogRequest } from "../read/log_request.ts";
import type { RequestUse } from "../read/request_use.ts";
import * as memory from "./memory.ts";

const { client: CLIENT, agent: AGENT } = FIELD_INDEX;

/**
 * Most recent generation number, for all lists. Requests of different lists have different
 * generations.
 */
let generations = 0;

/**
 * Passes the requests that the line counter listed to filters and collectors, and counts those that
 * pass the filters.
 */
export class ListedRequests {
  readonly #tally: Tally;
  readonly #use: RequestUse;
  readonly #hasTail: boolean;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #doubles: Float64Array;
  readonly #view: DataView;
  readonly #request = new LogRequest();

  /**
   * Creates a reader of the requests in `buffer`, the memory of the program. Counts the requests in
   * `tally`. `hasTail` is true if the program finds the client and the user agent.
   */
  constructor(tally: Tally, use: RequestUse, hasTail: boolean, buffer: ArrayBuffer) {
    this.#tally = tally;
    this.#use = use;
    this.#hasTail = hasTail;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#view = new DataView(buffer);
    this.#request.bytes = this.#bytes;
    this.#request.line.bytes = this.#bytes;
    this.reset();
  }

  /** Restarts the numbering of endpoints and user agents. Call it when the records are cleared. */
  reset(): void {
    this.#request.generation = ++generations;
  }

  /**
   * Passes on the listed requests up to the address `to`. `base` is the offset in the log of the
   * byte at address 0.
   */
  use(to: number, base: number): void {
    const { filters, collectors } = this.#use;
    const request = this.#request;
    const words = this.#words;
    const doubles = this.#doubles;
    const tally = this.#tally;
    const end = to >> 2;
    next: for (let at = memory.LISTED >> 2; at < end; at += memory.LISTED_BYTES >> 2) {
      this.#load(request, at);
      for (let i = 0; i < filters.length; i++) if (!filters[i].keeps(request)) continue next;
      const record = words[at + (memory.LISTED_RECORD >> 2)];
      const flags = words[at + (memory.LISTED_FLAGS >> 2)];
      const offset = base + words[at];
      const first = (record + memory.RECORD_FIRST) >> 3;
      words[record >> 2]++;
      if (offset < doubles[first]) doubles[first] = offset;
      tally.requests++;
      if ((flags & memory.MASK_HAS_QUERY) !== 0) tally.withQuery++;
      if ((flags & memory.MASK_HAS_ID) !== 0) tally.withId++;
      tally.seconds.add(words[at + (memory.LISTED_SECOND >> 2)], 1);
      request.offset = offset;
      for (let i = 0; i < collectors.length; i++) collectors[i].add(request);
    }
  }

  /** Sets `request` to the listed request whose first word is at index `at`. */
  #load(request: LogRequest, at: number): void {
    const words = this.#words;
    const record = words[at + (memory.LISTED_RECORD >> 2)];
    const flags = words[at + (memory.LISTED_FLAGS >> 2)];
    request.timeMs = words[at + (memory.LISTED_SECOND >> 2)] * 1_000;
    request.status = words[at + (memory.LISTED_STATUS >> 2)];
    request.endpoint = (record - memory.RECORDS) >> 5;
    request.line.from = words[at + (memory.LISTED_METHOD >> 2)];
    request.methodTo = words[at + (memory.LISTED_METHOD_TO >> 2)];
    request.setTarget(
      this.#bytes,
      words[at + (memory.LISTED_PATH >> 2)],
      words[at + (memory.LISTED_PATH_TO >> 2)],
      words[at + (memory.LISTED_TARGET_TO >> 2)],
    );
    const length = words[(record + memory.RECORD_KEY_LENGTH) >> 2];
    const hasId = (flags & memory.MASK_HAS_ID) !== 0;
    const { key } = request;
    key.hasQuery = (flags & memory.MASK_HAS_QUERY) !== 0;
    key.route.set(this.#bytes, this.#view, record + memory.RECORD_KEY, length, hasId);
    if (this.#hasTail) this.#loadTail(request, at);
  }

  #loadTail({ spans }: LogRequest, at: number): void {
    const words = this.#words;
    const agentRecord = words[at + (memory.LISTED_AGENT_RECORD >> 2)];
    this.#request.agent = agentRecord === 0 ? -1 : (agentRecord - memory.RECORDS) >> 5;
    spans.set(
      CLIENT,
      words[at + (memory.LISTED_CLIENT >> 2)],
      words[at + (memory.LISTED_CLIENT_TO >> 2)],
    );
    spans.from[AGENT] = agentRecord === 0 ? -1 : words[at + (memory.LISTED_AGENT >> 2)];
    spans.to[AGENT] = words[at + (memory.LISTED_AGENT_TO >> 2)];
  }
}
