import type { Connection } from "./connection.ts";
import type { Proxy } from "./proxies.ts";
import type { HttpResponse, Outgoing } from "./sender.ts";

/**
 * HTTP/1.1 connection to a proxy that forwards requests to any `http` origin. Each request is sent
 * with an absolute URL and the credentials for the proxy.
 */
export class ProxiedConnection implements Connection {
  readonly shared = false;
  readonly #inner: Connection;
  readonly #proxy: Proxy;
  /**
   * Cache of the requests in the form that the proxy receives, so that constant requests are
   * encoded only once. The key is the original request.
   */
  readonly #forwarded: WeakMap<Outgoing, Outgoing>;

  constructor(inner: Connection, proxy: Proxy, forwarded: WeakMap<Outgoing, Outgoing>) {
    this.#inner = inner;
    this.#proxy = proxy;
    this.#forwarded = forwarded;
  }

  get usable(): boolean {
    return this.#inner.usable;
  }

  get idleSince(): number {
    return this.#inner.idleSince;
  }

  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    let forwarded = this.#forwarded.get(request);
    if (forwarded === undefined) this.#forwarded.set(request, forwarded = this.#forward(request));
    return this.#inner.exchange(forwarded, response, from);
  }

  abort(response: HttpResponse): void {
    this.#inner.abort(response);
  }

  retire(): void {
    this.#inner.retire();
  }

  close(): void {
    this.#inner.close();
  }

  #forward(request: Outgoing): Outgoing {
    const { origin, target, headers } = request;
    const { authorization } = this.#proxy;
    return {
      ...request,
      target: `http://${origin.authority}${target === "*" ? "" : target}`,
      headers: authorization === undefined
        ? headers
        : [...headers, ["Proxy-Authorization", authorization]],
      encoded: undefined,
    };
  }
}
