import { systemMessage } from "../base/errors.ts";
import type { ErrorKind } from "./sender.ts";

/**
 * Reason why an exchange failed. Its kind and message become the response's `error` and `message`.
 */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Creates the error for a response that violates HTTP/1. */
export function invalidResponse(why: string): ExchangeError {
  return new ExchangeError("protocol", `the response is not valid HTTP/1: ${why}`);
}

const { errors } = Deno;

/**
 * Converts an error from a TCP connection attempt to an `ExchangeError`. `where` is the host and
 * port to show in the message.
 */
export function connectFault(error: unknown, where: string): ExchangeError {
  const fault = (kind: ExchangeError["kind"], why: string) =>
    new ExchangeError(kind, `cannot connect to ${where}: ${why}`, { cause: error });
  const text = systemMessage(error);
  if (error instanceof ExchangeError) return error;
  if (error instanceof errors.NotCapable) {
    return fault(
      "connect",
      `the permission is missing; add \`--allow-net=${where}\` to \`deno run\``,
    );
  }
  if (text.startsWith("failed to lookup address") || errorCode(error) === "ENOTFOUND") {
    return fault("dns", "DNS cannot resolve the host name");
  }
  switch (errorCode(error)) {
    case "ECONNREFUSED":
      return fault("refused", "connection refused");
    case "ETIMEDOUT":
      return fault("timeout", "the operating system reported a timeout");
    default:
      return fault("connect", text);
  }
}

/** Matches the messages of TLS libraries for a response that is not TLS. */
const NOT_TLS = /InvalidContentType|wrong version number|packet length too long/i;

/**
 * Converts an error from a TLS handshake to an `ExchangeError`. `where` is the host and port to
 * show in the message.
 */
export function tlsFault(error: unknown, where: string): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const text = systemMessage(error);
  const hint = NOT_TLS.test(text) ? " (the server may speak plain HTTP: try http://)" : "";
  const message = `cannot connect to ${where}: TLS handshake failed: ${text}${hint}`;
  return new ExchangeError("tls", message, { cause: error });
}

/** Converts an error from an exchange on an open connection to an `ExchangeError`. */
export function exchangeFault(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = errorCode(error) ?? "";
  const cause = { cause: error };
  if (code === "ECONNRESET" || code === "ECONNABORTED") {
    return new ExchangeError("reset", "the server reset the connection", cause);
  }
  if (error instanceof errors.InvalidData || /^ERR_(SSL|TLS)/.test(code)) {
    return new ExchangeError("tls", `TLS failed: ${systemMessage(error)}`, cause);
  }
  return new ExchangeError("closed", `the connection closed: ${systemMessage(error)}`, cause);
}

/**
 * Returns the system error code, such as `ECONNRESET`, or undefined if the error has no code. Deno
 * and Node use the same codes.
 */
function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
