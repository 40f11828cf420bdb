import type { Limits } from "./network_options.ts";
import type { HttpResponse, Socket, SocketRequest } from "./sender.ts";
import { SocketConnection, type SocketParts } from "./socket_connection.ts";
import { upgrade } from "./socket_handshake.ts";
import type { Wire } from "./wire.ts";

/**
 * Opens a WebSocket over a connected byte stream, and fills in the response to the upgrade request.
 * Rejects with an `ExchangeError` if the server does not accept the WebSocket.
 */
export async function openSocket(
  wire: Wire,
  request: SocketRequest,
  response: HttpResponse,
  parts: Pick<SocketParts, "buffers" | "onClosed"> & { readonly limits: Limits },
): Promise<Socket> {
  const { limits: { headers, body }, buffers } = parts;
  const upgraded = await upgrade(wire, request, response, { buffers, headers });
  return new SocketConnection(wire, { ...parts, ...upgraded, limit: body });
}
