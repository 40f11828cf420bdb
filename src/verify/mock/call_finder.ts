import { dynamicShape } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { CallUrl } from "../../traffic/session/call_url.ts";
import { RequestField } from "../../traffic/session/request_field.ts";

/**
 * Returns a key by which requests and recorded calls are matched. `valueOf` is applied to the
 * values in the URL.
 */
type MatchKey = (call: RecordedCall, valueOf: (text: string) => string) => string;

const MATCH_KEYS: readonly MatchKey[] = [
  (call, valueOf) => `${methodOf(call)} ${urlText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, (text) => shape(valueOf(text)))}`,
  (call, valueOf) => pathText(call.url, valueOf),
];

/** Finds the recorded call that matches a request. */
export class CallFinder {
  readonly #byKey: readonly ReadonlyMap<string, readonly RecordedCall[]>[];

  constructor(calls: readonly RecordedCall[]) {
    this.#byKey = MATCH_KEYS.map((keyOf) => Map.groupBy(calls, (call) => keyOf(call, String)));
  }

  /**
   * Returns the first recorded call that matches `sent` and is not in `taken`, and adds it to
   * `taken`. If all matching calls are taken, restarts the session at the first of them. `recorded`
   * replaces the fresh values in a string with the recorded ones. Calls `onRestart` if it restarts
   * the session. Returns undefined if no call matches.
   */
  find(
    sent: RecordedCall,
    taken: Set<RecordedCall>,
    recorded: (text: string) => string,
    onRestart: () => void,
  ): RecordedCall | undefined {
    for (const [level, keyOf] of MATCH_KEYS.entries()) {
      const calls = this.#byKey[level].get(keyOf(sent, recorded));
      if (calls === undefined) continue;
      const next = calls.find((call) => !taken.has(call)) ?? calls[0];
      if (taken.has(next)) {
        rewind(taken, next);
        onRestart();
      }
      taken.add(next);
      return next;
    }
    return undefined;
  }
}

function rewind(taken: Set<RecordedCall>, to: RecordedCall): void {
  for (const call of taken) if (call.order >= to.order) taken.delete(call);
}

/** Returns the decoded URL, with `valueOf` applied to its values. */
function urlText(url: CallUrl, valueOf: (text: string) => string): string {
  return pathText(url, valueOf) + url.query.map((piece) => text(piece, valueOf)).join("");
}

function pathText({ origin, path }: CallUrl, valueOf: (text: string) => string): string {
  return origin + path.map((piece) => text(piece, valueOf)).join("");
}

function text(piece: string | RequestField, valueOf: (text: string) => string): string {
  return piece instanceof RequestField ? valueOf(piece.value) : piece;
}

function shape(segment: string): string {
  return dynamicShape(segment) === undefined ? segment : "*";
}
