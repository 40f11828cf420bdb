import { DEFAULT_LIMITS, type NetworkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { HttpResponse, type HttpSession, type Outgoing } from "../../src/http/sender.ts";

/** Returns the default network options with HTTP/1.1, overridden by `changes`. */
export function testOptions(changes: Partial<NetworkOptions> = {}): NetworkOptions {
  return {
    version: "http1",
    keepAlive: true,
    hosts: {},
    tls: {
      insecureSkipVerify: false,
      ca: undefined,
      cert: undefined,
      key: undefined,
      serverName: undefined,
    },
    limits: DEFAULT_LIMITS,
    ...changes,
  };
}

/**
 * Creates a GET request for `url`, overridden by `changes`. By default, the request needs the
 * headers and the body of its response.
 */
export function testRequest(url: string, changes: Partial<Outgoing> = {}): Outgoing {
  return {
    method: "GET",
    ...resolveUrl(url, undefined),
    headers: [],
    body: undefined,
    timeoutMs: 60_000,
    needs: { headers: true, body: true },
    ...changes,
  };
}

/** A sender with one open session. The end of the scope closes the sender. */
export interface Client extends Disposable {
  readonly session: HttpSession;
  /** Opens another session. */
  open(): HttpSession;
  /** Sends a request, by default over `session`. */
  send(url: string, changes?: Partial<Outgoing>, session?: HttpSession): Promise<HttpResponse>;
}

/** Opens a client. */
export function openClient(options: NetworkOptions = testOptions()): Client {
  const sender = networkSender(options);
  const session = sender.open();
  return {
    session,
    open: () => sender.open(),
    async send(url, changes, over = session) {
      const response = new HttpResponse();
      await over.send(testRequest(url, changes), response);
      return response;
    },
    [Symbol.dispose]: () => sender.close(),
  };
}

/** Sends one request with a new client and returns the response. */
export async function sendOnce(
  url: string,
  changes: Partial<Outgoing> = {},
  options: NetworkOptions = testOptions(),
): Promise<HttpResponse> {
  using client = openClient(options);
  return await client.send(url, changes);
}
