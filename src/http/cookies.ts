import { Cookie, CookieJar as ToughJar } from "tough-cookie";
import type { Origin } from "./sender.ts";

/** Cookie jar of one VU (RFC 6265). It does not allocate storage until a server sets a cookie. */
export class CookieJar {
  /** Number of times that the content of the jar has changed. */
  version = 0;
  #jar: ToughJar | undefined;

  /** Returns the value of the Cookie header for a request, or undefined if no cookie applies. */
  header(origin: Origin, target: string): string | undefined {
    const cookies = this.#cookies(origin, target);
    if (cookies.length === 0) return undefined;
    return cookies.map((cookie) => cookie.cookieString()).join("; ");
  }

  /** Stores a cookie. Ignores one that is invalid or for another site. */
  store(origin: Origin, target: string, setCookie: string): void {
    // Like browsers, accepts `value` as a cookie without a name, but ignores an empty header.
    const cookie = Cookie.parse(setCookie, { loose: true });
    if (!cookie || cookie.key + cookie.value === "") return;
    this.#jar ??= new ToughJar();
    const stored = this.#jar.setCookieSync(cookie, url(origin, target), { ignoreError: true });
    if (stored) this.version++;
  }

  /** Returns the value of the cookie that a request would send, or undefined. */
  get(name: string, origin: Origin, target: string): string | undefined {
    return this.#cookies(origin, target).find(({ key }) => key === name)?.value;
  }

  clear(): void {
    if (this.#jar === undefined) return;
    this.#jar = undefined;
    this.version++;
  }

  #cookies(origin: Origin, target: string): Cookie[] {
    return this.#jar?.getCookiesSync(url(origin, target)) ?? [];
  }
}

function url({ secure, authority }: Origin, target: string): string {
  return `${secure ? "https" : "http"}://${authority}${target}`;
}
