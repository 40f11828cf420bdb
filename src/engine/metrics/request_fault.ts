import type { ErrorKind } from "../../http/sender.ts";

/**
 * Reason why a request failed. Undefined if the request passed or failed only because of its
 * status.
 */
export type Fault = { readonly kind: ErrorKind; readonly message: string } | undefined;
