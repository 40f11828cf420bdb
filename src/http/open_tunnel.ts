import { safeSnippet } from "../base/safe_text.ts";
import { connectFault, ExchangeError } from "./exchange_error.ts";
import type { Proxy } from "./proxies.ts";
import type { Origin } from "./sender.ts";

/**
 * Makes a proxy connect to `origin` (CONNECT). `ask` sends bytes to the proxy and resolves to the
 * head of its response. Rejects with an `ExchangeError` of the kind `connect` if the proxy refuses.
 */
export async function openTunnel(
  ask: (bytes: Uint8Array) => Promise<string>,
  { host, port, authority }: Origin,
  { authorization }: Proxy,
): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    "User-Agent: rehearse",
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
  ];
  const bytes = new TextEncoder().encode(request.map((line) => `${line}\r\n`).join("") + "\r\n");
  const head = await ask(bytes).catch((error) => {
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
