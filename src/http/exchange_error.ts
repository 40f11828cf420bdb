import { systemMessage } from "../base/errors.ts";
import type { ErrorKind } from "./sender.ts";

/** Its kind and message become the response's `error` and `message`. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly kind: ErrorKind;
  /** True if the server has stated that it did not process the request. */
  readonly unprocessed: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    options: ErrorOptions & { readonly unprocessed?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.unprocessed = options.unprocessed ?? false;
  }
}

export function invalidResponse(why: string): ExchangeError {
  return new ExchangeError("protocol", `the response is not valid HTTP/1: ${why}`);
}

const { errors } = Deno;

/** Converts an error from connecting to `where` to an `ExchangeError`. */
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

const NOT_TLS = /InvalidContentType|wrong version number|packet length too long/i;

/** Matches the messages of TLS libraries for a certificate whose issuer is not trusted. */
const UNTRUSTED_ISSUER = /UnknownIssuer|self.signed certificate|unable to (?:get|verify)/i;

/** A rejected certificate of a server, but not an alert about that of the client. */
const REJECTED_CERTIFICATE = /^(?!.*\balert\b).*certificate/i;

/** Matches an error of a TLS library that is wrapped in another one. Captures the inner error. */
const WRAPPED = /\bOther\(OtherError\((\w+)\)\)/;

/** Converts an error from a TLS handshake with `where` to an `ExchangeError`. */
export function tlsFault(error: unknown, where: string): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const text = systemMessage(error).replace(WRAPPED, "$1");
  const message = `cannot connect to ${where}: TLS handshake failed: ${text}${tlsHint(text)}`;
  return new ExchangeError("tls", message, { cause: error });
}

function tlsHint(text: string): string {
  if (NOT_TLS.test(text)) return " (the server may speak plain HTTP: try http://)";
  if (UNTRUSTED_ISSUER.test(text)) {
    return " (to trust the issuer, set `ca_file` in `defaults.http.tls` of the plan; to accept any " +
      "certificate, set `insecure_skip_verify: true`)";
  }
  return REJECTED_CERTIFICATE.test(text)
    ? " (to accept any certificate, set `insecure_skip_verify: true` in `defaults.http.tls` of the plan)"
    : "";
}

/** Converts an error from an exchange on an open connection to an `ExchangeError`. */
export function exchangeFault(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = errorCode(error) ?? "";
  const cause = { cause: error };
  if (code === "ECONNRESET" || code === "ECONNABORTED") {
    return new ExchangeError("reset", "the server reset the connection", cause);
  }
  if (error instanceof errors.UnexpectedEof) {
    const message = "the server closed the connection without ending TLS (`close_notify`)";
    return new ExchangeError("closed", message, cause);
  }
  if (error instanceof errors.InvalidData || /^ERR_(SSL|TLS)/.test(code)) {
    return new ExchangeError("tls", `TLS failed: ${systemMessage(error)}`, cause);
  }
  return new ExchangeError("closed", `the connection closed: ${systemMessage(error)}`, cause);
}

/** Returns the system error code, such as `ECONNRESET`, if there is one. */
function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
