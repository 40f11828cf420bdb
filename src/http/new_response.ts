import type { HttpResponse } from "./sender.ts";

const NO_BYTES = new Uint8Array(0);

/** Creates an empty response, to be reused for many exchanges. */
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

/** Clears a response for an exchange that starts at `startedAt`. */
export function clearResponse(response: HttpResponse, startedAt: number): void {
  response.status = 0;
  if (response.headers.length > 0) response.headers = [];
  response.body = NO_BYTES;
  response.bodySize = 0;
  response.error = response.message = undefined;
  response.bytesSent = response.bytesReceived = 0;
  response.startedAt = startedAt;
  response.blockedMs = response.connectingMs = response.tlsMs = 0;
  response.sendingMs = response.waitingMs = response.receivingMs = 0;
}
