import { isText } from "../../traffic/har/media_type.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import type { CallObservation, Observations } from "./observations.ts";
import type { CallVerdict, VerifiedCall } from "./verification.ts";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "WS"]);

/**
 * Judges each recorded call. A call depends on earlier calls whose responses contain a value that
 * it sends, and on earlier writes to the same origin. If one of these may fail, a call whose own
 * requests are consistent is unproven. `due` is the number of requests that a plan is expected to
 * send for each call.
 */
export function judgeCalls(
  { calls, nameOf }: RecordedSession,
  { calls: observed }: Observations,
  due: number,
): VerifiedCall[] {
  const doubtful = new Map<RecordedCall["exchange"], RecordedCall>();
  const doubtfulWrites = new Map<string, RecordedCall>();
  return calls.map((call) => {
    const seen = observed.get(call);
    const own = ownVerdict(seen, due);
    const source = [...seen?.sources ?? []].map((exchange) => doubtful.get(exchange))
      .find((found) => found !== undefined);
    const cause = source ?? doubtfulWrites.get(call.url.origin);
    const isDoubtful = cause !== undefined || own !== "consistent" && own !== "differs";
    if (isDoubtful) {
      doubtful.set(call.exchange, call);
      const { origin } = call.url;
      if (!SAFE.has(methodOf(call)) && !doubtfulWrites.has(origin)) {
        doubtfulWrites.set(origin, call);
      }
    }
    const verdict = own === "consistent" && (cause !== undefined || lacksBody(call))
      ? "unproven"
      : own;
    return {
      call: nameOf(call),
      entry: call.exchange.index + 1,
      verdict,
      dependsOn: own === "consistent" || own === "differs" ? cause && nameOf(cause) : undefined,
      sent: seen?.sent ?? 0,
    };
  });
}

function ownVerdict(seen: CallObservation | undefined, due: number): CallVerdict {
  if (seen === undefined) return "not sent";
  if (seen.stale > 0) return "stale";
  if (seen.unproven > 0) return "unproven";
  if (seen.differing > 0) return "differs";
  return seen.sent < due ? "not sent" : "consistent";
}

/**
 * Reports whether the recording lacks a part of the request's body, or the text of the response.
 * What the plan must send, or the values in that response, are then unknown.
 */
export function lacksBody({ exchange: { request, response } }: RecordedCall): boolean {
  const { status, text, mimeType, size, unrecorded } = response;
  if (request.bodyMissing) return true;
  if (text !== undefined || request.method.toUpperCase() === "HEAD") return false;
  if (unrecorded || status === 0) return true;
  return status >= 200 && status < 300 && status !== 204 && status !== 205 && size > 0 &&
    (mimeType === "" || isText(mimeType));
}
