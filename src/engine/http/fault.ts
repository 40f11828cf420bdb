import { ExchangeError } from "./exchange_error.ts";

const { errors } = Deno;

/** What kept a connection from being made, TLS left aside; `where` is what was connected to. */
export function connectFault(error: unknown, where: string): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const cause = { cause: error };
  const text = systemMessage(error);
  if (error instanceof errors.ConnectionRefused) {
    return new ExchangeError("refused", `cannot connect to ${where}: connection refused`, cause);
  }
  if (error instanceof errors.NotCapable) {
    const missing = `permission is missing: add --allow-net=${where} to deno run`;
    return new ExchangeError("connect", `cannot connect to ${where}: ${missing}`, cause);
  }
  if (error instanceof errors.TimedOut) {
    return new ExchangeError("timeout", `cannot connect to ${where}: ${text}`, cause);
  }
  if (text.startsWith("failed to lookup address") || text.includes("ENOTFOUND")) {
    return new ExchangeError("dns", `cannot find the address of ${where}: ${text}`, cause);
  }
  return new ExchangeError("connect", `cannot connect to ${where}: ${text}`, cause);
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
  const cause = { cause: error };
  if (error instanceof errors.ConnectionReset || error instanceof errors.ConnectionAborted) {
    return new ExchangeError("reset", "the server reset the connection", cause);
  }
  if (error instanceof errors.InvalidData) {
    return new ExchangeError("tls", `TLS broke down: ${systemMessage(error)}`, cause);
  }
  return new ExchangeError("closed", `the connection ended: ${systemMessage(error)}`, cause);
}

function systemMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/ \(os error \d+\)/g, "");
}
