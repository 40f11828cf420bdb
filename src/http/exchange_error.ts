import type { ErrorKind } from "./sender.ts";

/**
 * Error with the reason why an exchange failed. Its kind and message become `error` and `message`
 * of the response.
 */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
