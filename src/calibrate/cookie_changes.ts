import { cookiesOf, listSetCookies, parseSetCookies } from "../traffic/session/headers.ts";
import { type CookieJar, createJar } from "../http/cookies.ts";
import type { Origin } from "../http/sender.ts";
import { targetOf } from "../http/url.ts";
import type { Exchange } from "../traffic/har/recording.ts";

/** Matches the attributes that limit the lifetime of a cookie. */
const LIFETIME = /;\s*(?:expires|max-age)=[^;]*/gi;

/** Cookies that a recorded exchange sends and sets. */
interface ExchangeCookies {
  readonly origin: Origin;
  readonly target: string;
  /** Values of the cookies in the request, by name. */
  readonly sent: ReadonlyMap<string, string>;
  /** Names of the cookies that the request sent and that the response changed. */
  readonly changed: readonly string[];
  /**
   * Jar with the changed cookies. Ignores their expiry, so that it also contains the deleted ones.
   */
  readonly jar: CookieJar;
}

/** Compares the cookies of recorded exchanges. Parses the cookies of each exchange once. */
export class CookieChanges {
  readonly #known = new Map<Exchange, ExchangeCookies>();

  /**
   * Reports whether the response to `earlier` changes a cookie that applies to the request of
   * `later`, although this request still sends the value that `earlier` sent.
   */
  keepsOld(later: Exchange, earlier: Exchange): boolean {
    const { sent, changed, jar } = this.#cookiesOf(earlier);
    if (changed.length === 0) return false;
    const own = this.#cookiesOf(later);
    return changed.some((name) =>
      own.sent.get(name) === sent.get(name) && jar.get(name, own.origin, own.target) !== undefined
    );
  }

  #cookiesOf(exchange: Exchange): ExchangeCookies {
    let cookies = this.#known.get(exchange);
    if (cookies === undefined) this.#known.set(exchange, cookies = readCookies(exchange));
    return cookies;
  }
}

function readCookies({ request, response }: Exchange): ExchangeCookies {
  const url = new URL(request.url);
  const { protocol, host, hostname, port } = url;
  const secure = protocol === "https:" || protocol === "wss:";
  const origin = { secure, host: hostname, port: Number(port), authority: host };
  const target = targetOf(url);
  const sent = new Map(cookiesOf(request));
  const jar = createJar();
  const lines = listSetCookies(response);
  const changed = parseSetCookies(response).flatMap(([name, value], i) => {
    if (!sent.has(name) || sent.get(name) === value) return [];
    jar.store(origin, target, lines[i].replace(LIFETIME, ""));
    return [name];
  });
  return { origin, target, sent, changed, jar };
}
