import { plural } from "../../base/format.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import { NAME_WIDTH } from "./call_lines.ts";
import type { Show } from "./content_text.ts";

/** Lists the errors of the first round in which WebSockets failed unexpectedly. */
export function socketLines({ socketFailure }: Calibration, show: Show): string[] {
  if (socketFailure === undefined) return [];
  const { failed, sessions, round, errors } = socketFailure;
  return [
    `WebSockets that failed: ${failed} of ${sessions} in ${round}`,
    ...errors.map((error) => `  ${show(error, 160)}`),
    "",
  ];
}

/** Lists the WebSockets whose received messages differ from the recorded ones. */
export function messageLines({ messages }: Calibration, show: Show): string[] {
  const differing = messages.filter(({ received, asRecorded }) => asRecorded < received);
  if (differing.length === 0) return [];
  return [
    "WebSocket messages that differ from the recorded ones",
    ...differing.flatMap(({ name, received, asRecorded, differences }) => [
      `  ${show(name, NAME_WIDTH)}: ${received - asRecorded} of ${plural(received, "message")}`,
      ...differences.map((one) => `    ${show(one, 160)}`),
    ]),
    "",
  ];
}

/** Lists the bodies, events and messages that were not compared with the recording. */
export function uncomparedLines({ uncompared }: Calibration, show: Show): string[] {
  if (uncompared.length === 0) return [];
  return [
    `Not compared with the recording (${uncompared.length})`,
    ...uncompared.map((one) => `  ${uncomparedText(one, show)}`),
    "",
  ];
}

/** Describes a body, events or messages that a calibration did not compare. */
function uncomparedText(
  { index, name, what, senders = [] }: Calibration["uncompared"][number],
  show: Show,
): string {
  const call = index === undefined ? "" : `call ${index + 1} `;
  return `${call}${show(name, NAME_WIDTH)}: ${what}${sendersText(senders)}`;
}

/**
 * Returns the end of a sentence that lists the calls that send values of a missing body. `senders`
 * contains their zero-based numbers. Returns an empty string if there are none.
 */
export function sendersText(senders: readonly number[]): string {
  if (senders.length === 0) return "";
  const numbers = senders.map((one) => one + 1).join(", ");
  return senders.length === 1
    ? `; call ${numbers} sends a recorded value that it may have contained`
    : `; calls ${numbers} send recorded values that it may have contained`;
}
