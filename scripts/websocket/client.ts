import { networkSender } from "../../src/http/network_session.ts";
import { HttpResponse, type Sender, type Socket } from "../../src/http/sender.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { testOptions } from "../../tests/support/http_client.ts";

/** Creates a sender with the default options. */
export function defaultSender(): Sender {
  return networkSender(testOptions());
}

/** Opens a WebSocket. Rejects if the server does not accept it. */
export async function openSocket(
  sender: Sender,
  url: string,
  { compression = true, subprotocols = [] as readonly string[] } = {},
): Promise<Socket> {
  const response = new HttpResponse();
  const socket = await sender.open().openSocket(
    {
      ...resolveUrl(url, undefined),
      method: "GET",
      headers: [],
      body: undefined,
      timeoutMs: 10_000,
      needs: { headers: true, body: false },
      subprotocols,
      compression,
    },
    response,
  );
  if (socket === undefined) throw new Error(`${url}: ${response.message}`);
  return socket;
}
