import { EndpointKey } from "../read/endpoint/endpoint_key.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestCollector } from "../read/request_use.ts";
import { TrafficProfile } from "../profile/traffic_profile.ts";

/** Counts the requests to one endpoint in a separate traffic profile. */
export class EntryRequests implements RequestCollector {
  /** Traffic profile of the requests to the endpoint. Its number of malformed lines is always 0. */
  readonly profile: TrafficProfile = new TrafficProfile();
  readonly #key: Uint8Array;

  /**
   * Creates a collector for the endpoint of a request with this method and target (a path or a
   * URL).
   */
  constructor(method: string, target: string) {
    const line = new TextEncoder().encode(`${method} ${target} HTTP/1.1"\n    `);
    const key = new EndpointKey();
    key.read(line, new DataView(line.buffer), 0);
    this.#key = key.isRequest ? keyBytes(key).slice() : new Uint8Array();
  }

  /**
   * Name of the endpoint (`METHOD route`), or an empty string if the constructor's method or target
   * is invalid.
   */
  get endpoint(): string {
    return new TextDecoder().decode(this.#key);
  }

  add({ key, second }: LogRequest): void {
    const found = keyBytes(key);
    if (found.length !== this.#key.length) return;
    for (let i = 0; i < found.length; i++) if (found[i] !== this.#key[i]) return;
    this.profile.tally.count(second, key, 0, 0);
  }
}

function keyBytes({ route: { view, start, length } }: EndpointKey): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + start, length);
}
