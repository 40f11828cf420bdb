import { safeSnippet } from "../base/safe_text.ts";
import type { Sockets } from "./dial.ts";
import { connectFault, ExchangeError } from "./exchange_error.ts";
import type { Proxy } from "./proxies.ts";
import type { Origin } from "./sender.ts";

/**
 * Makes a proxy connect `tcp` to `origin` (CONNECT). Rejects with an `ExchangeError` of the kind
 * `connect` if the proxy refuses.
 */
export async function openTunnel<Tcp extends Stream, Stream>(
  sockets: Pick<Sockets<Tcp, Stream>, "ask">,
  tcp: Tcp,
  { host, port, authority }: Origin,
  { authorization }: Proxy,
  signal: AbortSignal,
): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    "User-Agent: rehearse",
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
  ];
  const bytes = new TextEncoder().encode(request.map((line) => `${line}\r\n`).join("") + "\r\n");
  const head = await sockets.ask(tcp, bytes, signal).catch((error) => {
    throw connectFault(error, `${authority} through the proxy`);
  });
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(head) ?? [];
  if (status?.startsWith("2")) return;
  const line = safeSnippet(head.split("\r\n")[0]);
  const hint = status === "407"
    ? "; set the user name and password of the proxy in its URL"
    : status === undefined
    ? "; it is not an HTTP proxy"
    : "";
  throw new ExchangeError("connect", `the proxy did not connect to ${authority}: ${line}${hint}`);
}
