import { InputError } from "../base/errors.ts";
import { durationMs, plural } from "../base/format.ts";
import { listRequests, recordedEntries } from "../plan/kinds/list_requests.ts";
import { MAX_VUS } from "../plan/kinds/scenario.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { literal, literalText } from "../plan/text/template.ts";
import type { EntryRequests } from "../traffic/accesslog/collect/request_counts.ts";
import { noteComments } from "./accesslog/log_notes.ts";
import { type LogLoadOptions, reproduceRate } from "./accesslog/rate/reproduce_rate.ts";
import type { Converted } from "./converted.ts";
import type { Note } from "./notes/notes.ts";

const SCENARIO = "recorded";

/** Returns the first request of a recorded session. */
export function findEntryRequest(
  { plan }: Converted,
): { readonly method: string; readonly target: string } {
  const { method = "GET", url } = [...listRequests(plan.scenarios[SCENARIO].flow)][0];
  return { method, target: literalText(url) ?? url };
}

/** Starts the session as often as the log has its first request. Throws InputError for never. */
export function harAtLogRate(
  har: Converted,
  entry: EntryRequests,
  options: {
    readonly load?: LogLoadOptions;
    readonly baseUrl?: string;
    readonly notes: readonly Note[];
  },
): Converted {
  const { profile, endpoint } = entry;
  const span = profile.span();
  if (span === undefined) {
    throw new InputError(
      `cannot determine how often the recorded session starts: the log does not contain any requests to its entry ` +
        `point, ${endpoint}; give a log that contains it, or change the filters`,
      { source: "access log" },
    );
  }
  const { flow, new_user } = har.plan.scenarios[SCENARIO];
  const load = reproduceRate(profile, span, options.load ?? {}, {
    share: 1,
    pauseSeconds: estimateSeconds(flow),
    scenario: SCENARIO,
  });
  const { defaults } = har.plan;
  const notes = [...load.notes, entryNote(entry), ...options.notes];
  return {
    plan: {
      ...har.plan,
      ...(options.baseUrl !== undefined && {
        defaults: {
          ...defaults,
          http: { ...defaults?.http, base_url: literal(options.baseUrl) },
        },
      }),
      scenarios: {
        [SCENARIO]: {
          ...load.arrival,
          pre_allocated_vus: load.vus,
          max_vus: Math.min(2 * load.vus, MAX_VUS),
          new_user,
          flow,
        },
      },
    },
    header: [
      har.header[0],
      `The plan starts the recorded session ${load.words}, based only on requests to ${endpoint}.`,
      ...har.header.slice(har.header.indexOf("")),
      ...noteComments(notes),
    ],
    notes: [...har.notes, ...notes],
    files: { arrivals: load.arrivalsCsv },
    summary: `${har.summary}; started ${plural(profile.requests, "time")} in the log`,
  };
}

function entryNote({ profile, endpoint }: EntryRequests): Note {
  return {
    code: "entry-point",
    subject: `scenarios.${SCENARIO}`,
    message: `the session starts as often as its entry point, ${endpoint}, occurs in the log: ` +
      `${plural(profile.requests, "time")}; not every visitor continues as recorded, so this is ` +
      "an upper bound",
  };
}

/** Returns the time from the first response to the end if each later response takes 1 s. */
function estimateSeconds(steps: readonly Step[]): number {
  const calls = [...listRequests(steps)].reduce(
    (sum, request) => sum + Math.max(1, recordedEntries(request).length),
    0,
  );
  return calls - 1 + sumPauses(steps);
}

function sumPauses(steps: readonly Step[]): number {
  return steps.reduce((sum, { think_time: pause, group, retry }) => {
    const constant = typeof pause === "object" && pause.type === "constant"
      ? pause.duration
      : pause;
    const isKnown = typeof constant === "string" || typeof constant === "number";
    const own = isKnown ? durationMs(constant)! / 1_000 : 0;
    return sum + own + sumPauses(group?.steps ?? []) + recordedBackoff(retry);
  }, 0);
}

/** Pauses in seconds, with as many attempts as in the recording. */
function recordedBackoff(retry: Step["retry"]): number {
  const [request] = retry === undefined ? [] : [...listRequests(retry.steps)];
  if (retry === undefined || request === undefined) return 0;
  const pauses = Math.max(0, recordedEntries(request).length - 1);
  return pauses * (durationMs(retry.backoff ?? 0) ?? 0) / 1_000;
}
