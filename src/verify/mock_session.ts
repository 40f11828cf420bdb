import type { CallUrl } from "../traffic/session/call_url.ts";
import { dynamicShape } from "../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { RequestField } from "../traffic/session/request_field.ts";
import type { FreshValues } from "./fresh_values.ts";

interface Given {
  readonly fresh: string;
  readonly iteration: number;
}

/**
 * A user of the mock server: the calls made so far, and the fresh values that replace recorded
 * ones. The key of a value is the recorded value itself or, for a short id, NUL, the kind of the
 * id, NUL and the id.
 */
export class MockUser {
  readonly name: string;
  /** Zero-based index of the current iteration. */
  iteration = 0;
  /** Recorded calls that the user's requests have matched in the current iteration. */
  readonly taken: Set<RecordedCall> = new Set();
  /**
   * Target of the last response if it was a redirect to a URL outside the recording, or undefined
   * otherwise.
   */
  externalRedirect: string | undefined;
  /**
   * Target of the last response if it was a redirect, without its fragment, or undefined otherwise.
   */
  redirect: string | undefined;
  readonly #values: FreshValues;
  readonly #given = new Map<string, Given>();
  readonly #sent = new Map<string, string>();
  readonly #shift: number;

  constructor(name: string, values: FreshValues) {
    this.name = name;
    this.#values = values;
    this.#shift = values.shift();
  }

  /** Starts an iteration: each recorded call can be matched again. */
  begin(iteration: number): void {
    if (iteration === this.iteration) return;
    this.iteration = iteration;
    this.taken.clear();
  }

  /** Reports whether a fresh value for a key was generated for this user. */
  has(key: string): boolean {
    return this.#given.has(key);
  }

  /** Returns the user's fresh value for a key, or undefined if no value was generated yet. */
  current(key: string): string | undefined {
    return this.#given.get(key)?.fresh;
  }

  /** Returns the user's fresh value for a key. Generates it on the first call. */
  valueOf(key: string): string {
    return this.#given.get(key)?.fresh ?? this.#renew(key);
  }

  /**
   * Generates a new fresh value for a key if `always` is true, or if the user has no value from the
   * current iteration.
   */
  renew(key: string, always: boolean): void {
    const given = this.#given.get(key);
    if (given === undefined || always || given.iteration !== this.iteration) {
      this.#renew(key);
    }
  }

  /** Records that the plan sent `sent` in place of `recorded`, a client-generated value or text. */
  replace(recorded: string, sent: string): void {
    this.#sent.set(recorded, sent);
  }

  /**
   * Returns the text that the plan last sent in place of `recorded`, which is a client-generated
   * value or text. Returns `recorded` itself if the plan has not sent any replacement.
   */
  sentFor(recorded: string): string {
    return this.#sent.get(recorded) ?? recorded;
  }

  #renew(key: string): string {
    const fresh = this.#values.generate(key, this.name, this.#shift);
    this.#given.set(key, { fresh, iteration: this.iteration });
    return fresh;
  }
}

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
