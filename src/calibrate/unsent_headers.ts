import type { Outgoing } from "../http/sender.ts";
import { visibleTexts } from "../outcome/refusal.ts";
import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { OF_CLIENT } from "./sent_pairs.ts";

/** Headers that a recorded request sends, and that the plan's request lacks. */
export interface UnsentHeaders {
  /** Recorded names of the headers. */
  readonly names: readonly string[];
  /** True if the live response names these headers. */
  readonly areNamed: boolean;
}

const CSRF = /csrf|xsrf/i;
/** Matches response headers that contain header names regardless of the request. */
const NAMING = /^(?:vary|set-cookie|access-control-.*)$/i;

/**
 * Finds the headers of a recorded request that the request `sent` lacks. If the visible text or the
 * headers of the response `live` name some of them, returns only these. Ignores headers that depend
 * on the client. Returns undefined if there are none.
 */
export function findUnsentHeaders(
  recorded: RecordedCall,
  sent: Outgoing,
  live: ResponseSnapshot,
): UnsentHeaders | undefined {
  const present = new Set(sent.headers.map(([name]) => name.toLowerCase()));
  const unsent = headersIn(recorded).map(({ name }) => name)
    .filter((name) => !present.has(name.toLowerCase()) && !OF_CLIENT.test(name));
  if (unsent.length === 0) return undefined;
  const headers = live.headers.filter(({ name }) => !NAMING.test(name))
    .flatMap(({ name, value }) => [name, value]);
  const said = [...visibleTexts(live).map(({ text }) => text), ...headers].join("\n");
  const named = unsent.filter((name) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(said) ||
    CSRF.test(name) && CSRF.test(said)
  );
  return named.length > 0 ? { names: named, areNamed: true } : { names: unsent, areNamed: false };
}
