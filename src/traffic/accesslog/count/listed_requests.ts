import type { FilterScope, RequestPart, RequestUse } from "../collect/collector.ts";
import { visitorNumber } from "../collect/visitor.ts";
import { LEVELS } from "../profile/byte_arrays.ts";
import { FIELD_INDEX } from "../read/line_splitter.ts";
import { LogRequest } from "../read/log_request.ts";
import { needsTail } from "./columns.ts";
import {
  AGENT as AGENT_SCOPE,
  ENDPOINT,
  HOST as HOST_SCOPE,
  KEPT,
  MASK_ONCE,
  REQUEST,
  SECOND,
  STATUS,
} from "./filter_scopes.ts";
import * as memory from "./memory.ts";

const { client: CLIENT, agent: AGENT, host: HOST } = FIELD_INDEX;

/** Bit that represents each filter scope in the line counter (see filter_scopes.ts). */
export const SCOPE_BITS: Readonly<Record<FilterScope, number>> = {
  second: SECOND,
  status: STATUS,
  endpoint: ENDPOINT,
  path: ENDPOINT,
  agent: AGENT_SCOPE,
  host: HOST_SCOPE,
  request: REQUEST,
};

/**
 * Most recently assigned `LogRequest.generation`. All instances share this counter, so the
 * generations of different instances never coincide.
 */
let generations = 0;

/**
 * Reads the requests that the line counter stored in memory, and passes them to filters and
 * collectors.
 */
export class ListedRequests {
  readonly #use: RequestUse;
  /** True if a collector needs the visitors. */
  readonly hasVisitor: boolean;
  readonly #hasTail: boolean;
  readonly #hasHost: boolean;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #request = new LogRequest();

  /**
   * Creates a reader for the requests in `buffer`, the memory of the counter program. `parts`
   * contains the parts of a request that the program finds in the lines.
   */
  constructor(use: RequestUse, parts: ReadonlySet<RequestPart>, buffer: ArrayBuffer) {
    this.#use = use;
    this.hasVisitor = use.collectors.some(({ level }) => level !== undefined);
    this.#hasTail = needsTail(parts);
    this.#hasHost = parts.has("host");
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#request.bytes = this.#bytes;
    this.#request.methodAt.bytes = this.#bytes;
    this.#request.target.bytes = this.#bytes;
    this.#request.key.bytes = this.#bytes;
    this.reset();
  }

  /**
   * Lowest sampling level of the visitors that the collectors need: 0 if they need all requests,
   * and above 15 if there are no collectors.
   */
  get level(): number {
    return Math.min(LEVELS, ...this.#use.collectors.map(({ level = 0 }) => level));
  }

  /** Restarts the numbering of endpoints. Call it when the records are cleared. */
  reset(): void {
    this.#request.generation = ++generations;
  }

  /**
   * Calls the filters whose scope is in `scopes` for the request in the `LISTED` entry at address
   * `at`. Returns the number of the first filter that drops the request, counted from 1, or `KEPT`.
   * Adds `MASK_ONCE` if the result may differ for other requests to the endpoint.
   */
  ask(scopes: number, at: number): number {
    const request = this.#request;
    this.#load(request, at >> 2);
    let flag = 0;
    const { filters } = this.#use;
    for (let i = 0; i < filters.length; i++) {
      const filter = filters[i];
      const { scope = "request" } = filter;
      if ((SCOPE_BITS[scope] & scopes) === 0) continue;
      if (scope === "path" && request.key.hasId && !filter.isSameForEndpoint?.(request)) {
        flag = MASK_ONCE;
      }
      if (!filter.keeps(request)) return (i + 1) | flag;
    }
    return KEPT | flag;
  }

  /**
   * Passes the requests in the `LISTED` area, which end at address `to`, to the collectors. `base`
   * is the log offset of the byte at address 0.
   */
  use(to: number, base: number): void {
    const { collectors } = this.#use;
    const request = this.#request;
    const words = this.#words;
    const end = to >> 2;
    for (let at = memory.LISTED >> 2; at < end; at += memory.LISTED_BYTES >> 2) {
      this.#load(request, at);
      request.offset = base + words[at];
      for (let i = 0; i < collectors.length; i++) collectors[i].add(request);
    }
  }

  /** Sets `request` to the request in the `LISTED` entry whose first word is at index `at`. */
  #load(request: LogRequest, at: number): void {
    const words = this.#words;
    const record = words[at + (memory.LISTED_RECORD >> 2)];
    request.timeMs = words[at + (memory.LISTED_SECOND >> 2)] * 1_000;
    const statusAndFlags = words[at + (memory.LISTED_STATUS >> 2)];
    request.status = statusAndFlags & 0xffff;
    request.endpoint = (record - memory.RECORDS) >> 5;
    const { methodAt, target, key } = request;
    methodAt.from = words[at + (memory.LISTED_METHOD >> 2)];
    methodAt.to = words[at + (memory.LISTED_METHOD_TO >> 2)];
    target.from = words[at + (memory.LISTED_PATH >> 2)];
    target.pathEnd = words[at + (memory.LISTED_PATH_TO >> 2)];
    target.to = words[at + (memory.LISTED_TARGET_TO >> 2)];
    const flags = statusAndFlags >>> 16;
    key.hasId = (flags & memory.MASK_HAS_ID) !== 0;
    key.hasQuery = (flags & memory.MASK_HAS_QUERY) !== 0;
    key.from = record + memory.RECORD_KEY;
    // The upper half of this word contains the result of the filters.
    key.to = key.from + (words[(record + memory.RECORD_KEY_LENGTH) >> 2] & 0xffff);
    if (this.#hasTail) this.#loadTail(request, at);
    if (this.#hasHost) request.spans.set(HOST, words[at], words[at + (memory.LISTED_HOST_TO >> 2)]);
  }

  #loadTail({ spans }: LogRequest, at: number): void {
    const words = this.#words;
    if (this.hasVisitor) {
      const other = words[at + (memory.LISTED_OTHER_VISITOR >> 2)];
      this.#request.visitor = visitorNumber(words[at + (memory.LISTED_VISITOR >> 2)], other);
    }
    spans.set(
      CLIENT,
      words[at + (memory.LISTED_CLIENT >> 2)],
      words[at + (memory.LISTED_CLIENT_TO >> 2)],
    );
    spans.from[AGENT] = words[at + (memory.LISTED_AGENT >> 2)] || -1;
    spans.to[AGENT] = words[at + (memory.LISTED_AGENT_TO >> 2)];
  }
}
