import { dynamicShape } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { CallUrl } from "../../traffic/session/call_url.ts";
import { RequestField } from "../../traffic/session/request_field.ts";

/** Returns a key that identifies a call's request. The keys are ordered from strict to tolerant. */
type Look = (call: RecordedCall, valueOf: (text: string) => string) => string;

const LOOKS: readonly Look[] = [
  (call, valueOf) => `${methodOf(call)} ${urlText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, (text) => shape(valueOf(text)))}`,
  (call, valueOf) => pathText(call.url, valueOf),
];

/** Finds the recorded call that matches a request. */
export class CallFinder {
  readonly #byLook: readonly ReadonlyMap<string, readonly RecordedCall[]>[];

  constructor(calls: readonly RecordedCall[]) {
    this.#byLook = LOOKS.map((look) => Map.groupBy(calls, (call) => look(call, String)));
  }

  /**
   * Returns the first call that matches `sent` and is not in `taken`, and adds it to `taken`. `recorded`
   * restores the recorded values in URLs. If all matching calls are taken, the session starts again at
   * the first of them. Undefined if no call matches.
   */
  find(
    sent: RecordedCall,
    taken: Set<RecordedCall>,
    recorded: (text: string) => string,
  ): RecordedCall | undefined {
    for (const [level, look] of LOOKS.entries()) {
      const calls = this.#byLook[level].get(look(sent, recorded));
      if (calls === undefined) continue;
      const next = calls.find((call) => !taken.has(call)) ?? rewind(taken, calls[0]);
      taken.add(next);
      return next;
    }
    return undefined;
  }
}

function rewind(taken: Set<RecordedCall>, to: RecordedCall): RecordedCall {
  for (const call of taken) if (call.order >= to.order) taken.delete(call);
  return to;
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
