import type { Step } from "../../plan/kinds/steps/steps.ts";
import { RECORDED_TAG } from "../../plan/text/recorded_tag.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Replacements } from "../../correlation/replacements.ts";
import { planBody } from "./plan_body.ts";
import { planRequest, planUrl, type RequestContext } from "./plan_request.ts";

/**
 * Builds the step that sends a recorded call: a request, an empty `websocket` step, or a `send`
 * step. Returns undefined for a message that the browser received.
 */
export function planStep(call: RecordedCall, context: RequestContext): Step | undefined {
  switch (call.exchange.socketPart) {
    case "open":
      return { websocket: planSocket(call, context) };
    case "send":
      return { send: planMessage(call, context.replacements) };
    case "receive":
      return undefined;
    default:
      return { request: planRequest(call, context) };
  }
}

const PROTOCOL = /^sec-websocket-protocol$/i;

function planSocket(call: RecordedCall, context: RequestContext): NonNullable<Step["websocket"]> {
  const all = Object.entries(context.headers);
  const offered = all.find(([name]) => PROTOCOL.test(name))?.[1];
  const headers = Object.fromEntries(all.filter(([name]) => !PROTOCOL.test(name)));
  return {
    name: context.name,
    url: planUrl(call, context).replace(/^http(?=s?:)/i, "ws"),
    ...(typeof offered === "string" && { subprotocols: offered.split(/\s*,\s*/) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    tags: { [RECORDED_TAG]: String(call.exchange.index + 1) },
    steps: [],
  };
}

function planMessage(call: RecordedCall, replacements: Replacements): NonNullable<Step["send"]> {
  const { body } = call;
  if (body === undefined) return "";
  const planned = planBody(call, body, replacements);
  if (typeof planned === "string") return planned;
  return planned.base64 === undefined ? { json: planned.json } : { base64: planned.base64 };
}
