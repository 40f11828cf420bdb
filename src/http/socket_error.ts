/** Close codes of RFC 6455 that the client sends or reports. */
export const CLOSE = {
  normal: 1000,
  protocol: 1002,
  /** Code to report for a close frame without a code. Never sent. */
  none: 1005,
  /** Code to report for a connection that ended without a close frame. Never sent. */
  abnormal: 1006,
  invalidText: 1007,
  tooLarge: 1009,
} as const;

/**
 * Error for a violation of the WebSocket protocol by the server, or for a message that is too
 * large.
 */
export class SocketError extends Error {
  override readonly name = "SocketError";
  /** Close code to send to the server. */
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Creates the error for a frame that violates RFC 6455. `why` describes the violation in a clause
 * such as "a reserved bit of a frame is set".
 */
export function invalidFrame(why: string): SocketError {
  return new SocketError(CLOSE.protocol, `the server violated the WebSocket protocol: ${why}`);
}

/** Creates the error for a message that is larger than `limit` bytes. */
export function messageTooLarge(limit: number): SocketError {
  return new SocketError(CLOSE.tooLarge, `a message is larger than ${limit} bytes`);
}

/**
 * Reports whether a close frame may contain this code. Returns true if RFC 6455 or the IANA
 * registry defines the code for close frames, or if the code is reserved for applications (3000 to
 * 4999).
 */
export function isCloseCode(code: number): boolean {
  if (code >= 1000 && code <= 1014) return code < 1004 || code > 1006;
  return code >= 3000 && code <= 4999;
}
