import type { CookieJar } from "../../http/cookies.ts";
import type { HttpResponse, Outgoing } from "../../http/sender.ts";

/** Adds cookies from a VU's cookie jar to its requests, and stores the cookies of its responses. */
export class JarCookies {
  readonly #jar: CookieJar | undefined;
  /**
   * Cached results of `addToConstant`, by request. A result is valid only while the jar has the
   * same version.
   */
  readonly #cache = new Map<Outgoing, { version: number; outgoing: Outgoing }>();

  /** Wraps a cookie jar. Without a jar, requests stay unchanged and no cookies are stored. */
  constructor(jar: CookieJar | undefined) {
    this.#jar = jar;
  }

  /**
   * Returns the request with a Cookie header that lists the plan's cookies first, followed by those
   * in the jar. Returns `request` itself if the jar has no cookies for it.
   */
  addTo(request: Outgoing): Outgoing {
    const jar = this.#jar;
    const cookies = jar?.version ? jar.header(request.origin, request.target) : undefined;
    return cookies === undefined ? request : addCookies(request, cookies);
  }

  /**
   * Returns the request with its cookies, like `addTo`, but returns the same object until the jar
   * changes. The cache keeps every request, so pass only constant requests.
   */
  addToConstant(request: Outgoing): Outgoing {
    const jar = this.#jar;
    if (!jar || jar.version === 0) return request;
    const cached = this.#cache.get(request);
    if (cached?.version === jar.version) return cached.outgoing;
    const outgoing = this.addTo(request);
    this.#cache.set(request, { version: jar.version, outgoing });
    return outgoing;
  }

  /** Stores the cookies that the response to a request sets. */
  store({ origin, target }: Outgoing, { headers }: HttpResponse): void {
    const jar = this.#jar;
    if (!jar || headers.length === 0) return;
    for (const [name, value] of headers) {
      if (name === "set-cookie") jar.store(origin, target, value);
    }
  }
}

function addCookies(request: Outgoing, cookies: string): Outgoing {
  const isCookie = ([name]: readonly [string, string]) => name.toLowerCase() === "cookie";
  const own = request.headers.filter(isCookie).map(([, value]) => value);
  return {
    ...request,
    encoded: undefined,
    headers: [
      ...request.headers.filter((header) => !isCookie(header)),
      ["Cookie", [...own, cookies].join("; ")],
    ],
  };
}
