import type { HttpResponse } from "../sender.ts";

const NO_BYTES = new Uint8Array(0);

/** An empty reply, to be filled in again and again. */
export function newResponse(): HttpResponse {
  return {
    status: 0,
    headers: [],
    body: NO_BYTES,
    bodySize: 0,
    error: undefined,
    message: undefined,
    bytesSent: 0,
    bytesReceived: 0,
    startedAt: 0,
    blockedMs: 0,
    connectingMs: 0,
    tlsMs: 0,
    sendingMs: 0,
    waitingMs: 0,
    receivingMs: 0,
  };
}

/** Empties a reply for the exchange that starts at `startedAt`. */
export function clearResponse(reply: HttpResponse, startedAt: number): void {
  reply.status = 0;
  if (reply.headers.length > 0) reply.headers = [];
  reply.body = NO_BYTES;
  reply.bodySize = 0;
  reply.error = reply.message = undefined;
  reply.bytesSent = reply.bytesReceived = 0;
  reply.startedAt = startedAt;
  reply.blockedMs = reply.connectingMs = reply.tlsMs = 0;
  reply.sendingMs = reply.waitingMs = reply.receivingMs = 0;
}
