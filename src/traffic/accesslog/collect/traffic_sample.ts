import { SPACE } from "../../../base/ascii.ts";
import { isAddress } from "../read/address.ts";
import { FIELD_INDEX } from "../read/log_fields.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestCollector } from "../read/request_use.ts";

/** Facts about the traffic of a log, collected from a sample of its requests. */
export interface TrafficSample {
  /** Number of requests in the sample. */
  readonly requests: number;
  /** True if the sample contains all requests of the log. */
  readonly isWhole: boolean;
  /** Number of requests from bots, health checks and similar clients. */
  readonly bots: number;
  /** Number of responses with a status of 400 or more. */
  readonly errors: number;
  /** Number of requests whose client field is not an address although the next word is one. */
  readonly misplaced: number;
  /** Number of distinct clients. */
  readonly clients: number;
  /** The client with the most requests; absent if the log contains no clients. */
  readonly busiest?: { readonly client: string; readonly requests: number };
}

/** Collects a `TrafficSample` from the requests of a sample. */
export class TrafficSampler implements RequestCollector {
  readonly #isBot: (agent: string) => boolean;
  readonly #agents = new Map<string, boolean>();
  readonly #clients = new Map<string, number>();
  #requests = 0;
  #bots = 0;
  #errors = 0;
  #misplaced = 0;

  /** Creates a sampler. `isBot` reports whether a user agent belongs to a bot. */
  constructor(isBot: (agent: string) => boolean) {
    this.#isBot = isBot;
  }

  add(request: LogRequest): void {
    this.#requests++;
    if (request.status >= 400) this.#errors++;
    if (request.has("client")) {
      const client = latin1(request.raw("client"));
      if (isMisplaced(request)) this.#misplaced++;
      this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    }
    // A log without this field contains no information about bots.
    if (request.has("agent") && this.#isBotAgent(latin1(request.raw("agent")))) this.#bots++;
  }

  /** Returns the counts so far. `isWhole` states whether the sample contains the whole log. */
  result(isWhole: boolean): TrafficSample {
    const [busiest] = [...this.#clients].sort(([, a], [, b]) => b - a);
    return {
      requests: this.#requests,
      isWhole,
      bots: this.#bots,
      errors: this.#errors,
      misplaced: this.#misplaced,
      clients: this.#clients.size,
      ...(busiest && { busiest: { client: busiest[0], requests: busiest[1] } }),
    };
  }

  #isBotAgent(agent: string): boolean {
    let known = this.#agents.get(agent);
    if (known === undefined) this.#agents.set(agent, known = this.#isBot(agent));
    return known;
  }
}

/**
 * Reports whether the client field is not an address although the next word is one. This suggests
 * that the first word of the line is a host.
 */
function isMisplaced({ bytes, spans }: LogRequest): boolean {
  const [from, to] = [spans.from[FIELD_INDEX.client], spans.to[FIELD_INDEX.client]];
  if (bytes[to] !== SPACE || isAddress(bytes, from, to)) return false;
  const end = bytes.indexOf(SPACE, to + 1);
  return end > 0 && isAddress(bytes, to + 1, end);
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 1_024));
}
