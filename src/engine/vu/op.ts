import { bytes } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { SocketMessage } from "../../http/sender.ts";
import { withoutNestedSecrets } from "../../traffic/session/without_secrets.ts";
import type { Vu } from "./vu.ts";

/**
 * Compiled step or flow. Returns undefined if it completed synchronously. Throws FlowEnd, or
 * rejects with it, to end the iteration early. `now` is the current clock time. Only the first step
 * of an iteration receives it, to save a clock read.
 */
export type Op = (vu: Vu, now?: number) => Promise<void> | void;

/** Combines compiled steps into one that runs them in order. */
export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu, now) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu, i === 0 ? now : undefined);
      if (waits) await waits;
    }
  };
}

/** Maximum length of a received message in an error, in characters. */
const MAX_SHOWN = 200;
/** Maximum length of the part of a received message that is searched for secrets, in characters. */
const MAX_SEARCHED = 8_000;

/**
 * Describes the last message that an `expect` step skipped, for the end of an error. Shortens it,
 * and hides the secrets of the plan (`hide`) and other values that look like credentials.
 */
export function describeSkipped(message: SocketMessage, hide: Redactor): string {
  if (typeof message !== "string") {
    return `; the last message was binary (${bytes(message.length)})`;
  }
  const text = withoutNestedSecrets(hide(message).slice(0, MAX_SEARCHED));
  return `; the last message was: ${safeSnippet(text, MAX_SHOWN)}`;
}
