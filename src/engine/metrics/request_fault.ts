import type { ErrorKind } from "../sender.ts";

/** Why a request failed; undefined if it passed or failed only by its status. */
export type Fault = { readonly kind: ErrorKind; readonly message: string } | undefined;
