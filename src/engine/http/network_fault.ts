import { ExchangeError } from "./exchange_error.ts";

const { errors } = Deno;

/** What kept a connection from being made, TLS left aside; `where` is what was connected to. */
export function connectFault(error: unknown, where: string): ExchangeError {
  const fault = (kind: ExchangeError["kind"], why: string) =>
    new ExchangeError(kind, `cannot connect to ${where}: ${why}`, { cause: error });
  const text = systemMessage(error);
  if (error instanceof ExchangeError) return error;
  if (error instanceof errors.NotCapable) {
    return fault("connect", `permission is missing: add --allow-net=${where} to deno run`);
  }
  if (text.startsWith("failed to lookup address") || errorCode(error) === "ENOTFOUND") {
    return fault("dns", "its address cannot be found");
  }
  switch (errorCode(error)) {
    case "ECONNREFUSED":
      return fault("refused", "connection refused");
    case "ETIMEDOUT":
      return fault("timeout", "the system gave up waiting");
    default:
      return fault("connect", text);
  }
}

/** What kept a TLS connection from being made. */
export function tlsFault(error: unknown, where: string): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const message = `cannot agree on TLS with ${where}: ${systemMessage(error)}`;
  return new ExchangeError("tls", message, { cause: error });
}

/** What ended an exchange on a connection that had been made. */
export function exchangeFault(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = errorCode(error) ?? "";
  const cause = { cause: error };
  if (code === "ECONNRESET" || code === "ECONNABORTED") {
    return new ExchangeError("reset", "the server reset the connection", cause);
  }
  if (error instanceof errors.InvalidData || /^ERR_(SSL|TLS)/.test(code)) {
    return new ExchangeError("tls", `TLS broke down: ${systemMessage(error)}`, cause);
  }
  return new ExchangeError("closed", `the connection ended: ${systemMessage(error)}`, cause);
}

/** The system's name for an error: Deno and Node give the same. */
function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function systemMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/ \(os error \d+\)/g, "");
}
