import { ExchangeError } from "./exchange_error.ts";

/** The fault of an answer that breaks HTTP/1's rules. */
export function refused(why: string): ExchangeError {
  return new ExchangeError("protocol", `the answer is not valid HTTP/1: ${why}`);
}
