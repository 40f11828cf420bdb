import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/errors.ts";
import type { Request, Step } from "../plan/schema/step.ts";
import { literal } from "../plan/template.ts";
import type { EntryRequests } from "../traffic/accesslog/entry_requests.ts";
import { buildLoad, type LogLoadOptions } from "./accesslog/build_load.ts";
import type { Converted } from "./converted.ts";
import type { Note } from "./note.ts";
import { plural } from "../base/plural.ts";

/** The first request of a recorded journey: where a visitor comes in. */
export function findEntryRequest(
  { plan }: Converted,
): { readonly method: string; readonly target: string } {
  const { method = "GET", url } = collectRequests(plan.scenarios.recorded.flow)[0];
  return { method, target: url.replaceAll("$${", () => "${") };
}

/**
 * A plan made from a HAR whose journey starts as often, and when, as the log shows its entry point.
 * Throws InputError when the log does not show it at all.
 */
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
      `the log does not tell how often the recorded journey is made: it has no request for its entry ` +
        `point, ${endpoint}; give a log that has, or filters that keep it`,
      { source: "access log" },
    );
  }
  const { flow } = har.plan.scenarios.recorded;
  const scenario = "recorded";
  const load = buildLoad(profile, span, options.load ?? {}, {
    share: 1,
    pauseSeconds: estimateSeconds(flow),
    scenario,
  });
  const entryNote: Note = {
    level: "note",
    code: "entry-point",
    subject: `scenarios.${scenario}`,
    message: `the journey starts as often as the log shows its entry point, ${endpoint}: ` +
      `${plural(profile.requests, "time")}; not everybody who comes in goes on as recorded`,
  };
  const { defaults } = har.plan;
  const notes = [...load.notes, entryNote, ...options.notes];
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
        [scenario]: {
          ...load.arrival,
          pre_allocated_vus: load.vus,
          max_vus: 2 * load.vus,
          flow,
        },
      },
    },
    header: [
      har.header[0],
      `It starts the recorded session ${load.words} for ${endpoint}.`,
      ...har.header.slice(har.header.indexOf("")),
      ...notes.filter(({ code }) => code !== "malformed-lines")
        .map(({ subject, message }) => `- ${subject}: ${message}`),
    ],
    notes: [...har.notes, ...notes],
    summary: `${har.summary}; started ${plural(profile.requests, "time")} in the log`,
  };
}

/** The requests of steps, in order. */
function collectRequests(steps: readonly Step[]): Request[] {
  return steps.flatMap(({ request, group }) =>
    request === undefined ? collectRequests(group?.steps ?? []) : [request]
  );
}

/** How long a flow takes when an answer takes a second, its first one aside. */
function estimateSeconds(steps: readonly Step[]): number {
  return collectRequests(steps).length - 1 + sumPauses(steps);
}

function sumPauses(steps: readonly Step[]): number {
  return steps.reduce((sum, { think_time: pause, group }) => {
    const own = typeof pause === "object" || pause === undefined ? 0 : durationMs(pause)! / 1_000;
    return sum + own + sumPauses(group?.steps ?? []);
  }, 0);
}
