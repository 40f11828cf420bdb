import type { ErrorKind } from "../sender.ts";

/** The reason why an exchange failed; becomes `error` and `message` of its response. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
