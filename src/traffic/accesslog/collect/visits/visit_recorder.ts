import { ByteIndex } from "../../../../base/byte_index.ts";
import { growArray } from "../../profile/grow_array.ts";
import type { LogRequest } from "../../read/log_request.ts";
import type { RequestPart } from "../../read/request_use.ts";
import { type ByteStrings, packStrings } from "../byte_strings.ts";
import type { SliceRecorder } from "../collector.ts";
import { NumberCache } from "../request_cache.ts";
import { VisitorHash } from "./visitor.ts";

/** Number of known endpoints above which a recorder discards them and restarts numbering from 0. */
const MAX_ENDPOINTS = 1 << 16;

/** Parts of a request that determine which visit it belongs to. */
export const VISIT_PARTS: readonly RequestPart[] = ["client", "agent", "milliseconds"];

/** The requests in a slice of the log that have a client address, in log order. */
export interface RecordedVisits {
  /** Visitor number of each request. */
  readonly visitors: Float64Array;
  /** Timestamp of each request, in Unix milliseconds. */
  readonly times: Float64Array;
  /** Endpoint number of each request, assigned by this recorder. */
  readonly endpoints: Uint32Array;
  /**
   * Endpoints that occur for the first time in this slice. Their numbers follow those of the
   * preceding slices.
   */
  readonly keys: ByteStrings;
  /** True if the recorder restarted the endpoint numbers from 0 at the beginning of this slice. */
  readonly isReset: boolean;
  readonly clients: Clients;
}

/** Information about the clients in a log. */
export interface Clients {
  /** Address of the first client. Absent if no request has one. */
  readonly first?: Uint8Array;
  /** True if there are several clients. */
  readonly areSeveral: boolean;
  /** Number of requests whose log line has no client address. */
  readonly missing: number;
}

/** Records the visitor, the time and the endpoint of each request that has a client address. */
export class VisitRecorder implements SliceRecorder {
  readonly parts: readonly RequestPart[] = VISIT_PARTS;
  readonly #hash = new VisitorHash();
  readonly #known = new NumberCache("endpoint");
  #endpoints = new ByteIndex();
  /** Number of endpoints that `take` has returned since the endpoint numbers were last reset. */
  #taken = 0;
  #isReset = true;
  #size = 0;
  #visitors = new Float64Array(1 << 12);
  #times = new Float64Array(1 << 12);
  #numbers = new Uint32Array(1 << 12);
  #client: Uint8Array | undefined;
  #areSeveral = false;
  #missing = 0;

  add(request: LogRequest): void {
    if (!request.has("client")) return void this.#missing++;
    if (!this.#areSeveral) this.#compareClient(request);
    const at = this.#size++;
    if (at >= this.#numbers.length) {
      this.#visitors = growArray(this.#visitors, at + 1);
      this.#times = growArray(this.#times, at + 1);
      this.#numbers = growArray(this.#numbers, at + 1);
    }
    this.#visitors[at] = this.#hash.of(request);
    this.#times[at] = Math.floor(request.timeMs);
    this.#numbers[at] = this.#endpointOf(request);
  }

  #endpointOf(request: LogRequest): number {
    const known = this.#known.get(request);
    if (known >= 0) return known;
    const { bytes, start, length } = request.key.route;
    const number = this.#endpoints.number(bytes, start, start + length);
    this.#known.set(request, number);
    return number;
  }

  take(): RecordedVisits {
    const size = this.#size;
    const taken = {
      visitors: this.#visitors.slice(0, size),
      times: this.#times.slice(0, size),
      endpoints: this.#numbers.slice(0, size),
      keys: packStrings(this.#endpoints, this.#taken),
      isReset: this.#isReset,
      clients: {
        first: this.#client,
        areSeveral: this.#areSeveral,
        missing: this.#missing,
      },
    };
    this.#size = 0;
    this.#taken = this.#endpoints.size;
    this.#isReset = this.#taken > MAX_ENDPOINTS;
    if (this.#isReset) {
      [this.#endpoints, this.#taken] = [new ByteIndex(), 0];
      this.#known.clear();
    }
    [this.#client, this.#areSeveral, this.#missing] = [undefined, false, 0];
    return taken;
  }

  #compareClient(request: LogRequest): void {
    const client = request.raw("client");
    this.#client ??= client.slice();
    this.#areSeveral = !areEqual(client, this.#client);
  }
}

/** Combines the client information of two consecutive parts of a log. */
export function addClients(clients: Clients, next: Clients): Clients {
  const differ = clients.first !== undefined && next.first !== undefined &&
    !areEqual(clients.first, next.first);
  return {
    first: clients.first ?? next.first,
    areSeveral: clients.areSeveral || next.areSeveral || differ,
    missing: clients.missing + next.missing,
  };
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
