import { setImmediate } from "node:timers";
import { Http2Connection } from "../../src/http/http2_connection.ts";
import { KnownHeads, ReadBuffers } from "../../src/http/connection.ts";
import { DEFAULT_LIMITS } from "../../src/http/network_options.ts";
import { type ErrorKind, HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { testRequest } from "./http_client.ts";
import { clientFrames, type Frame, joined } from "./raw_http2.ts";
import { ScriptedWire } from "./scripted_wire.ts";

/** An HTTP/2 connection of the client, with a wire whose other side is the test. */
export interface Http2Client {
  readonly wire: ScriptedWire;
  readonly connection: Http2Connection;
  /** Starts a request, and resolves to its response, also if the request fails. */
  send(changes?: Partial<Outgoing>): Promise<HttpResponse & { unprocessed?: boolean }>;
  /** Delivers bytes from the server, and waits until the client has processed them. */
  deliver(...frames: Uint8Array[]): Promise<void>;
  /** Returns the frames that the client has written. */
  frames(): Frame[];
}

/** Opens a connection. */
export function connectHttp2(
  { firstId = 1, limits = DEFAULT_LIMITS, heads = new KnownHeads() } = {},
): Http2Client {
  const wire = new ScriptedWire();
  const shared = { limits, keepAlive: true, buffers: new ReadBuffers(), heads };
  const connection = new Http2Connection(wire, shared, firstId);
  return {
    wire,
    connection,
    async send(changes) {
      const response = new HttpResponse();
      try {
        await connection.exchange(testRequest("http://a.test/", changes), response, 0);
        return response;
      } catch (error) {
        const { kind, message, unprocessed } = error as {
          kind: ErrorKind;
          message: string;
          unprocessed: boolean;
        };
        return { ...response, error: kind, message, unprocessed };
      }
    },
    async deliver(...frames) {
      wire.deliver(joined(...frames));
      await turn();
    },
    frames: () => clientFrames(wire.written),
  };
}

/** Waits until all promises that are due have been handled. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
