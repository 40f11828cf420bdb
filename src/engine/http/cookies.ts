import { Cookie, CookieJar as ToughJar } from "tough-cookie";
import type { Origin } from "../sender.ts";

/** The cookies of one VU (RFC 6265). Costs next to nothing until a server sets one. */
export interface CookieJar {
  /** Rises with each cookie that is stored; 0 when none ever was. */
  readonly version: number;
  /** The Cookie header's value for a request, or undefined when there is none to send. */
  header(origin: Origin, target: string): string | undefined;
  /** Takes in the value of a Set-Cookie header; one that is not acceptable is ignored. */
  store(origin: Origin, target: string, setCookie: string): void;
  /** The value of the cookie that a request would send under `name`. */
  get(name: string, origin: Origin, target: string): string | undefined;
}

/** An empty jar. */
export function createJar(): CookieJar {
  return new LazyJar();
}

class LazyJar implements CookieJar {
  version = 0;
  #jar: ToughJar | undefined;

  header(origin: Origin, target: string): string | undefined {
    const cookies = this.#cookies(origin, target);
    if (cookies.length === 0) return undefined;
    return cookies.map((cookie) => cookie.cookieString()).join("; ");
  }

  store(origin: Origin, target: string, setCookie: string): void {
    // Loose: browsers take `value` for a cookie without a name, but not nothing at all.
    const cookie = Cookie.parse(setCookie, { loose: true });
    if (!cookie || cookie.key + cookie.value === "") return;
    this.#jar ??= new ToughJar();
    const stored = this.#jar.setCookieSync(cookie, url(origin, target), { ignoreError: true });
    if (stored) this.version++;
  }

  get(name: string, origin: Origin, target: string): string | undefined {
    return this.#cookies(origin, target).find(({ key }) => key === name)?.value;
  }

  #cookies(origin: Origin, target: string): Cookie[] {
    return this.#jar?.getCookiesSync(url(origin, target)) ?? [];
  }
}

function url({ secure, authority }: Origin, target: string): string {
  return `${secure ? "https" : "http"}://${authority}${target}`;
}
