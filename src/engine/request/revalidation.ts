import type { HttpResponse, Outgoing } from "../../http/sender.ts";
import type { Random } from "../../base/random.ts";

/** Maximum number of URLs of a step whose validators are kept. */
const MAX_URLS = 65_536;

type Header = Outgoing["headers"][number];

/**
 * Sends a fraction of the requests of a step as conditional requests, with the ETag or
 * Last-Modified time that the step last received for the same URL.
 */
export class Revalidation {
  readonly #share: number;
  readonly #known = new Map<string, Header>();

  /** Creates an empty store. `share` is the fraction of conditional requests, 0 to 1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Returns the request to send: `request`, or a conditional one. */
  apply(request: Outgoing, random: Random): Outgoing {
    const header = random.next() < this.#share ? this.#known.get(urlOf(request)) : undefined;
    return header === undefined ? request : { ...request, headers: [...request.headers, header] };
  }

  /** Keeps the validator of the response to `request`. */
  store(request: Outgoing, { status, error, headers }: HttpResponse): void {
    if (status !== 200 || error !== undefined) return;
    const url = urlOf(request);
    const value = (name: string) => headers.find(([one]) => one === name)?.[1];
    const [tag, time] = [value("etag"), value("last-modified")];
    if (tag === undefined && time === undefined) return;
    if (this.#known.size >= MAX_URLS && !this.#known.has(url)) return;
    this.#known.set(url, tag === undefined ? ["If-Modified-Since", time!] : ["If-None-Match", tag]);
  }
}

function urlOf({ origin, target }: Outgoing): string {
  return origin.authority + target;
}
