import { checkRecord, InvalidProfile } from "../profile/profile_checks.ts";
import { parseSeconds } from "../profile/parse_seconds.ts";
import { MAX_REQUESTS, Tally, type TallyData } from "../profile/tally.ts";
import { TrafficProfile } from "../profile/traffic_profile.ts";
import { EndpointKey } from "../read/endpoint/endpoint_key.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestPart } from "../read/request_use.ts";
import type { LogCollector } from "./collector.ts";

/** Builds a separate traffic profile of the requests to one endpoint. */
export class EntryRequests implements LogCollector {
  readonly kind = "entry";
  readonly parts: readonly RequestPart[] = [];
  readonly settings: { readonly method: string; readonly target: string };
  /** Traffic profile of the requests to the endpoint. Its number of malformed lines is always 0. */
  readonly profile: TrafficProfile = new TrafficProfile();
  readonly #entry = new EndpointKey();
  readonly #key: Uint8Array;

  /**
   * Creates a collector for the endpoint of a request with this method and target (a path or a
   * URL).
   */
  constructor(method: string, target: string) {
    this.settings = { method, target };
    const line = new TextEncoder().encode(`${method} ${target} HTTP/1.1"\n    `);
    this.#entry.read(line, new DataView(line.buffer), 0);
    const { bytes, start, length } = this.#entry.route;
    this.#key = this.#entry.isRequest ? bytes.slice(start, start + length) : new Uint8Array();
  }

  /**
   * Name of the endpoint (`METHOD route`), or an empty string if the method or target passed to the
   * constructor is invalid.
   */
  get endpoint(): string {
    return new TextDecoder().decode(this.#key);
  }

  add({ key, second }: LogRequest): void {
    const { bytes, start, length } = key.route;
    if (length !== this.#key.length) return;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== this.#key[i]) return;
    this.profile.tally.count(second, key, 0, 0);
  }

  data(): TallyData {
    return this.profile.tally.data();
  }

  merge(data: TallyData): void {
    this.profile.tally.merge(data, 0, 0);
  }

  toJson(): unknown {
    const seconds = this.profile.secondRuns().map(({ start, counts }) => [start, counts]);
    return { endpoint: this.endpoint, seconds };
  }

  fromJson(json: unknown): TallyData {
    const { endpoint, seconds } = checkRecord(json, "`entry`");
    if (endpoint !== this.endpoint) {
      throw new InvalidProfile(`it counts the requests to ${endpoint}, not to ${this.endpoint}`);
    }
    const tally = new Tally();
    tally.requests = parseSeconds(tally.seconds, seconds, MAX_REQUESTS);
    const { view, start, length, hasId } = this.#entry.route;
    if (tally.requests > 0) tally.endpoints.add(view, start, length, tally.requests, 0, 0);
    if (hasId) tally.withId = tally.requests;
    return tally.data();
  }
}
