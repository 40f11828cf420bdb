import { ExchangeError } from "./exchange_error.ts";

/** Creates the error for a response that violates HTTP/1. */
export function invalidResponse(why: string): ExchangeError {
  return new ExchangeError("protocol", `the response is not valid HTTP/1: ${why}`);
}
