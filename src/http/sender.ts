/** Kinds of error that can fail a request. These are the values of the `error_kind` tag. */
export const ERROR_KINDS = [
  "dns",
  "refused",
  "connect",
  "tls",
  "timeout",
  "reset",
  "closed",
  "protocol",
  "too_large",
  "redirects",
  "upgrade",
  "template",
  "extract",
  "assert",
  "body",
  "cancelled",
] as const;

/** Kind of error that can fail a request. */
export type ErrorKind = typeof ERROR_KINDS[number];

/** Scheme, host and port. There is one object per origin, which can be compared by identity. */
export interface Origin {
  readonly secure: boolean;
  /** Host name or IP address as written in the URL, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** Value of the Host header: the host, and the port unless it is the default. */
  readonly authority: string;
}

/** A request that a session sends. */
export interface Outgoing {
  readonly method: string;
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*` for OPTIONS. */
  readonly target: string;
  /** In order, with duplicates. Host replaces the authority. The sender writes framing itself. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** Timeout for the whole exchange in ms, including the time to connect. */
  readonly timeoutMs: number;
  readonly needs: ResponseNeeds;
  /** One-based index of the HAR entry that the request replays, if any. It is not sent. */
  readonly recorded?: number;
  /** `user:password` for Digest authentication. The password is never sent, only hashes of it. */
  readonly credentials?: string;
  /**
   * Whether the Digest credentials in the header respond to a challenge to this (`new`) or an
   * earlier request. They are valid only for `target`.
   */
  readonly digest?: "reused" | "new";
  /** Reads the body of the response as it arrives. Absent for most requests. */
  readonly stream?: BodyStream;
  encoded?: Uint8Array;
  /** Encoded head of the request over HTTP/2: frames with the stream ID 0. Also cached. */
  encodedHttp2?: Uint8Array;
}

/** Reads the body of a response as it arrives. */
export interface BodyStream {
  /**
   * Receives bytes of the body before any decoding, valid only during the call. Returns true if no
   * more are needed: the response is then complete, and its connection is not reused.
   */
  push(chunk: Uint8Array, response: HttpResponse): boolean;
}

/** Parts of a response to keep for conditions and extractors. */
export interface ResponseNeeds {
  /** False to keep only headers that the client uses, unless the status is 400 or above. */
  readonly headers: boolean;
  readonly body: boolean;
  /**
   * Responses for which to keep all headers and the excerpt, as for statuses of 400 and above,
   * because a condition can fail after the response has been read. See `takeSampleTurn`.
   */
  sampleNext?: number;
}

/** Reports whether to keep all of the next response, and counts it in `needs.sampleNext`. */
export function takeSampleTurn(needs: ResponseNeeds): boolean {
  const left = needs.sampleNext;
  if (left === undefined || left === 0) return false;
  needs.sampleNext = left - 1;
  return true;
}

/** Maximum size of the excerpt of a response body, in bytes. */
export const MAX_EXCERPT = 8_192;

const NO_BYTES = new Uint8Array(0);

/** Response that `HttpSession.send` fills in. A VU reuses one object for all its requests. */
export class HttpResponse {
  status = 0;
  /** In order, with names in lower case. Unless needed, only those that the client acts on. */
  headers: [name: string, value: string][] = [];
  /** Copy of the body as received, still compressed. Empty if the body is not needed. */
  body: Uint8Array = NO_BYTES;
  /** First bytes of the body as received, if `body` is empty and the response may be a sample. */
  excerpt: Uint8Array = NO_BYTES;
  bodySize = 0;
  error: ErrorKind | undefined = undefined;
  message: string | undefined = undefined;
  /** Number of times that the client has sent the request again because a connection failed. */
  retries = 0;
  bytesSent = 0;
  bytesReceived = 0;
  /** Start of the exchange: `performance.now()` time at which `send` was called. */
  startedAt = 0;
  /** Milliseconds from the start until a connection was free or connecting began. */
  blockedMs = 0;
  /** Duration of the DNS lookup and TCP connection setup in ms; 0 on a reused connection. */
  connectingMs = 0;
  tlsMs = 0;
  sendingMs = 0;
  /** From the end of the request to the first byte, plus the attempts that were retried. */
  waitingMs = 0;
  receivingMs = 0;
}

/** Request that opens a WebSocket. */
export interface SocketRequest extends Outgoing {
  readonly subprotocols: readonly string[];
  readonly compression: boolean;
}

/** A WebSocket message: text, or the bytes of a binary message. */
export type SocketMessage = string | Uint8Array;

/** How a WebSocket ended. */
export interface SocketEnd {
  /** Code of the server's close frame; 1005 if the frame has no code, 1006 if no frame arrived. */
  readonly code: number;
  readonly reason: string;
  /** Kind of error; undefined if either side ended the connection with a close frame. */
  readonly error: ErrorKind | undefined;
  readonly message: string | undefined;
}

/** Receives the events of a WebSocket. */
export interface SocketListener {
  /** Called for each message with its size after decompression, but not after `onEnd`. */
  onMessage(message: SocketMessage, size: number): void;
  /** Called once, when both sides have sent a close frame or the connection has failed. */
  onEnd(end: SocketEnd): void;
}

/** Open WebSocket. */
export interface Socket {
  /** Starts reading, and calls `listener` for each event. Call it once. */
  listen(listener: SocketListener): void;
  /** Number of bytes sent since the upgrade, including frame headers but not TLS overhead. */
  readonly bytesSent: number;
  /** Number of bytes received since the upgrade, including frame headers but not TLS overhead. */
  readonly bytesReceived: number;
  /** Resolves when the operating system has the message. An error ends the WebSocket. */
  send(content: Uint8Array, isText: boolean): Promise<void>;
  /** Starts the close handshake, once. The reason has at most 123 bytes. */
  close(code: number, reason: string): void;
  /** Closes the connection at once, with the error kind `cancelled`. */
  abort(): void;
}

/** Connections of one VU. A session runs one exchange at a time. */
export interface HttpSession {
  /** `now` saves a clock read. Network errors set `response.error` instead of rejecting. */
  send(request: Outgoing, response: HttpResponse, now?: number): Promise<void>;
  /** Resolves to undefined if it fails. `response` is that to the upgrade request. */
  openSocket(request: SocketRequest, response: HttpResponse): Promise<Socket | undefined>;
  /** Opens a session that uses the connections of this one but sends independently. */
  branch(): HttpSession;
  /** Cancels all exchanges, also of branches, and closes all connections. It can send again. */
  close(): void;
}

/** Sends requests over the network or, in tests and `verify`, to a mock server. */
export interface Sender {
  /** Opens a session for one VU. `user` is the name of the VU. */
  open(user?: string): HttpSession;
  close(): void;
}

/** Clears a response for an exchange that starts at `startedAt`. */
export function clearResponse(response: HttpResponse, startedAt: number): void {
  response.status = 0;
  if (response.headers.length > 0) response.headers = [];
  response.body = response.excerpt = NO_BYTES;
  response.bodySize = 0;
  response.error = response.message = undefined;
  response.retries = response.bytesSent = response.bytesReceived = 0;
  response.startedAt = startedAt;
  response.blockedMs = response.connectingMs = response.tlsMs = 0;
  response.sendingMs = response.waitingMs = response.receivingMs = 0;
}
