/** The kinds of fault that a request can end in; the tag `error_kind` of its samples. */
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

/** Where a request goes: one origin. Compiled once per origin and shared, so it can be compared by identity. */
export interface Origin {
  readonly secure: boolean;
  /** Host name or address as it stands in the URL, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The Host header's value. */
  readonly authority: string;
}

/** One request as it goes on the wire. */
export interface Outgoing {
  readonly method: string;
  readonly origin: Origin;
  /** Path and query, percent-encoded, or `*`. */
  readonly target: string;
  /**
   * Host, if there is one, replaces the authority. Connection, Content-Length and Transfer-Encoding
   * are the sender's to write: those given are left out.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** Milliseconds for the whole exchange, connecting included. */
  readonly timeoutMs: number;
  /** What of the answer anybody will look at; what is not wanted is neither kept nor decoded. */
  readonly needs: ResponseNeeds;
  /** Scratch space of the sender: the encoded request, kept when the same object is sent again. */
  encoded?: Uint8Array;
}

/** What of an answer is kept. */
export interface ResponseNeeds {
  /** All headers; without it only those that a client acts on itself, see `Reply.headers`. */
  readonly headers: boolean;
  readonly body: boolean;
}

/**
 * One answer, filled in by `Session.send`; a VU reuses one object for all its requests. Times are
 * `performance.now()` milliseconds.
 */
export interface HttpResponse {
  /** 0 when none arrived. */
  status: number;
  /**
   * Names in lower case, in order, repeats kept. Unless all are wanted, only set-cookie, location
   * and, with a wanted body, content-type and content-encoding.
   */
  headers: [name: string, value: string][];
  /** Content as sent (still compressed), a copy of its own; empty unless wanted. */
  body: Uint8Array;
  /** Bytes of the body as sent. */
  bodySize: number;
  error: ErrorKind | undefined;
  /** What went wrong, for a person; undefined without an error. */
  message: string | undefined;
  /** On the wire, headers included; without what TLS adds. */
  bytesSent: number;
  bytesReceived: number;
  /** When the exchange was asked for. */
  startedAt: number;
  /** Waiting for a free connection, connecting, and TLS, in ms; 0 on a reused connection. */
  blockedMs: number;
  connectingMs: number;
  tlsMs: number;
  sendingMs: number;
  waitingMs: number;
  receivingMs: number;
}

/** One VU's connections, one exchange at a time. */
export interface HttpSession {
  /**
   * Sends and fills `reply`; `now` spares a look at the clock where one has just been taken. Network
   * faults end in `reply.error`; it does not throw for them.
   */
  send(request: Outgoing, reply: HttpResponse, now?: number): Promise<void>;
  /**
   * Opens a session for a branch of a `parallel` step. It uses the same connections and sends at the
   * same time. Closing it leaves the connections to the VU.
   */
  branch(): HttpSession;
  /**
   * Cancels what is in flight, in branches too (its reply says `cancelled`), and closes the
   * connections. A session that sends again connects anew.
   */
  close(): void;
}

/** Sends requests: over the network, or, in tests and `verify`, to a stand-in. */
export interface Sender {
  /** `user` names the VU that the connections are for. */
  open(user?: string): HttpSession;
  close(): void;
}
