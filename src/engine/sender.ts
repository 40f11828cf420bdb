/** Kinds of error that a request can end in; values of the tag `error_kind`. */
export type ErrorKind =
  | "dns"
  | "refused"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "closed"
  | "protocol"
  | "too_large"
  | "redirects"
  | "template"
  | "extract"
  | "assert"
  | "body"
  | "cancelled";

/**
 * Origin of a request. Compiled once per origin and shared, so that origins can be compared by
 * identity.
 */
export interface Origin {
  readonly secure: boolean;
  /** Host name or address as written in the URL, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the Host header. */
  readonly authority: string;
}

/** Request to send. */
export interface Outgoing {
  readonly method: string;
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*`. */
  readonly target: string;
  /**
   * Headers in order, repeats kept. A Host header replaces the authority. Connection,
   * Content-Length and Transfer-Encoding are ignored: the sender writes them.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** Timeout of the whole exchange in ms, connecting included. */
  readonly timeoutMs: number;
  /** Parts of the response that the plan uses; other parts are neither kept nor decoded. */
  readonly needs: ResponseNeeds;
  /**
   * Cache of the encoded request, written by the sender and reused if the same object is sent
   * again.
   */
  encoded?: Uint8Array;
}

/** Parts of a response to keep. */
export interface ResponseNeeds {
  /**
   * Keeps all headers. If false, keeps only those that the client itself uses; see
   * `HttpResponse.headers`.
   */
  readonly headers: boolean;
  readonly body: boolean;
}

/**
 * Response, filled in by `HttpSession.send`. A VU reuses one object for all its requests. Times are
 * `performance.now()` milliseconds.
 */
export interface HttpResponse {
  /** Status code; 0 if no response arrived. */
  status: number;
  /**
   * Headers with lower-case names, in order, repeats kept. Unless all headers are needed: only
   * set-cookie, location and, if the body is needed, content-type and content-encoding.
   */
  headers: [name: string, value: string][];
  /** Content as sent (still compressed), copied; empty unless needed. */
  body: Uint8Array;
  /** Size of the body as sent, in bytes. */
  bodySize: number;
  error: ErrorKind | undefined;
  /** Human-readable error message; undefined without an error. */
  message: string | undefined;
  /** Bytes on the wire, headers included, without TLS overhead. */
  bytesSent: number;
  bytesReceived: number;
  /** Time of the call to `send`. */
  startedAt: number;
  /**
   * Durations in ms of waiting for a free connection, connecting, and TLS; 0 on a reused
   * connection.
   */
  blockedMs: number;
  connectingMs: number;
  tlsMs: number;
  sendingMs: number;
  waitingMs: number;
  receivingMs: number;
}

/** Connections of one VU; one exchange at a time. */
export interface HttpSession {
  /**
   * Sends `request` and fills `response`. `now` is the current time if the caller knows it, which
   * saves a clock read. Network errors set `response.error` and do not throw.
   */
  send(request: Outgoing, response: HttpResponse, now?: number): Promise<void>;
  /**
   * Opens a session for a branch of a `parallel` step. It uses the same connections and sends at
   * the same time. Closing it leaves the connections to the VU.
   */
  branch(): HttpSession;
  /**
   * Cancels exchanges in progress, also in branches (their error is `cancelled`), and closes the
   * connections. A session that sends again opens new connections.
   */
  close(): void;
}

/** Sends requests over the network or, in tests and `verify`, to a mock server. */
export interface Sender {
  /** Opens a session. `user` names the VU that the connections are for. */
  open(user?: string): HttpSession;
  close(): void;
}
