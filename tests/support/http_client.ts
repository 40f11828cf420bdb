import { DEFAULT_LIMITS } from "../../src/engine/http/limits.ts";
import type { NetworkOptions } from "../../src/engine/http/network_options.ts";
import { networkSender } from "../../src/engine/http/network_sender.ts";
import { newReply } from "../../src/engine/http/new_reply.ts";
import { resolveUrl } from "../../src/engine/http/url.ts";
import type { Outgoing, Reply, Sender } from "../../src/engine/sender.ts";

/** Options as a plan without any has them, but for HTTP/1.1 and `changes`. */
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

/** A GET of `url` that wants everything, but for `changes`. */
export function testRequest(url: string, changes: Partial<Outgoing> = {}): Outgoing {
  return {
    method: "GET",
    ...resolveUrl(url, undefined),
    headers: [],
    body: undefined,
    timeoutMs: 5_000,
    wants: { headers: true, body: true },
    ...changes,
  };
}

/** The reply to one request, sent by a sender of its own. */
export async function sendOnce(
  request: Outgoing,
  options: NetworkOptions = testOptions(),
): Promise<Reply> {
  using sender = disposable(networkSender(options));
  const reply = newReply();
  await sender.open().send(request, reply);
  return reply;
}

/** A sender that closes at the end of its scope. */
export function disposable(sender: Sender): Sender & Disposable {
  return { ...sender, [Symbol.dispose]: () => sender.close() };
}
