import { formatMs } from "../../base/format.ts";
import { conditionName } from "../../plan/kinds/names.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import { RECORDED_TAG } from "../../plan/text/tags.ts";
import type { HarNote } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";
import type { Poll } from "./find_polls.ts";

/** Returns the notes on requests that the plan repeats until a job has ended. */
export function pollNotes({ polls, nameOf }: HarFacts): HarNote[] {
  return [...new Set(polls.values())].map(({ calls, until, attempts, backoffMs }): HarNote => ({
    code: "polling",
    subject: "retry",
    message: `the browser sent ${nameOf(calls[0])} ${calls.length} times until ` +
      `\`${conditionName(until)}\` was true; the plan repeats the request until the condition is ` +
      `true, at most ${attempts} times, with pauses of ${formatMs(backoffMs)}`,
  }));
}

/**
 * Builds the step that repeats the request of a poll. `request` is the plan's request for the first
 * call of the poll.
 */
export function pollStep(
  { calls, until, attempts, backoffMs, extract }: Poll,
  { extract: _, ...request }: Request,
): Step {
  const entries = calls.map(({ exchange }) => exchange.index + 1).join(",");
  const { tags, assert, checks, ...sent } = request;
  const repeated: Request = {
    ...sent,
    tags: { ...tags, [RECORDED_TAG]: entries },
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(assert && { assert }),
    ...(checks && { checks }),
  };
  return {
    retry: {
      attempts,
      ...(backoffMs > 0 && { backoff: durationText(backoffMs) }),
      until,
      required: true,
      steps: [{ request: repeated }],
    },
  };
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
