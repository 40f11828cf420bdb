import { DEFAULT_LIMITS, type NetworkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { resolveUrl } from "../../src/http/url.ts";
import {
  type HttpResponse,
  newResponse,
  type Outgoing,
  type Sender,
} from "../../src/http/sender.ts";

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

/** Sends one request with a new sender and returns the response. */
export async function sendOnce(
  request: Outgoing,
  options: NetworkOptions = testOptions(),
): Promise<HttpResponse> {
  using sender = disposable(networkSender(options));
  const response = newResponse();
  await sender.open().send(request, response);
  return response;
}

/** Makes a sender disposable, so that `using` closes it at the end of the scope. */
export function disposable(sender: Sender): Sender & Disposable {
  return { ...sender, [Symbol.dispose]: () => sender.close() };
}
