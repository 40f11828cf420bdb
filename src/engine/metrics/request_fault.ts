import type { ErrorKind } from "../sender.ts";

/** Why a request failed; undefined when it did not, or only by its status. */
export type Fault = { readonly kind: ErrorKind; readonly message: string } | undefined;
