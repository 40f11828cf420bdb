import { type Exchange, headerValue } from "../../traffic/har/recording.ts";
import { hasClock } from "../../traffic/session/recorded_call.ts";

/** Tolerance, in milliseconds, for recorders that truncate times. */
const TOLERANCE = 1;

/**
 * Start and end times of exchanges. If the recording has no times, the order of the exchanges is
 * used instead.
 */
export class RecordedTimes {
  readonly #timed: boolean;
  readonly #order: ReadonlyMap<Exchange, number>;
  /** Start times of the requests that follow redirects, keyed by the redirect. */
  readonly #followedAt = new Map<Exchange, number>();

  constructor(exchanges: readonly Exchange[]) {
    this.#timed = exchanges.length > 0 && hasClock(exchanges);
    this.#order = new Map(exchanges.map((exchange, order) => [exchange, order]));
    const byUrl = Map.groupBy(exchanges, ({ request }) => withoutFragment(request.url));
    for (const exchange of exchanges) {
      const next = byUrl.get(redirectTarget(exchange) ?? "")?.find((other) =>
        this.#order.get(other)! > this.#order.get(exchange)!
      );
      if (next !== undefined) this.#followedAt.set(exchange, next.startedAt);
    }
  }

  /** Returns a sort key for an exchange: the later it starts, the greater the key. */
  startOf(exchange: Exchange): number {
    return this.#timed ? exchange.startedAt : 2 * this.#order.get(exchange)!;
  }

  /**
   * Returns a sort key for the end of an exchange: the later it ends, the greater the key. A
   * redirect ends when the browser follows it, although some recorders report a later end.
   */
  endOf(exchange: Exchange): number {
    if (!this.#timed) return this.startOf(exchange) + 1;
    return Math.min(exchange.endedAt, this.#followedAt.get(exchange) ?? Infinity);
  }

  /** Reports whether the response of `first` ended before the request of `second` started. */
  isBefore(first: Exchange, second: Exchange): boolean {
    return first !== second && this.isInOrder(this.endOf(first), this.startOf(second));
  }

  /**
   * Reports whether a response that ended at `end` can provide a value to a request that started at
   * `start`.
   */
  isInOrder(end: number, start: number): boolean {
    return end <= start + (this.#timed ? TOLERANCE : 0);
  }
}

/**
 * Returns the absolute URL to which a response redirects, without its fragment, or undefined if the
 * response is not a redirect.
 */
function redirectTarget({ request, response: { status, headers } }: Exchange): string | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = headerValue(headers, "location");
  const url = location === undefined ? undefined : URL.parse(location, request.url)?.href;
  return url === undefined ? undefined : withoutFragment(url);
}

function withoutFragment(url: string): string {
  return url.replace(/#.*/s, "");
}
