import { literal } from "../plan/template.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { TrafficProfile } from "../traffic/accesslog/profile.ts";
import { accessLogNotes } from "./accesslog_notes.ts";
import type { Converted } from "./converted.ts";
import { percent, plural, rateText } from "./wording.ts";

/** What a user may choose about a plan made from an access log. */
export interface AccessLogOptions {
  /** Origin that the plan's relative URLs are relative to; the user sets it later when absent. */
  readonly baseUrl?: string;
  /** Endpoints to keep, the most frequent first; Infinity keeps all. */
  readonly top: number;
}

/** The number of endpoints kept unless the user says otherwise (converter.md section 8). */
export const TOP_ENDPOINTS = 20;

/**
 * A plan with one scenario, `replayed_traffic`, that repeats the log's endpoints in their mix at
 * its average rate (converter.md sections 2 and 4.2). The profile must hold at least one request.
 */
export function convertAccessLog(profile: TrafficProfile, options: AccessLogOptions): Converted {
  const kept = profile.top(options.top);
  const keptRequests = kept.reduce((sum, { count }) => sum + count, 0);
  const average = profile.total / profile.seconds;
  const { baseUrl } = options;
  const notes = accessLogNotes({ profile, baseUrl, kept, keptRequests, average });
  const plan: Plan = {
    name: "access log replay",
    description:
      `Imported from an access log by rehearse convert: ${profile.total} requests over ` +
      `${profile.seconds} s, average ${average.toFixed(2)} req/s, peak ${profile.peak} req/s.`,
    variables: { id: "1" },
    ...(baseUrl !== undefined && { defaults: { http: { base_url: literal(baseUrl) } } }),
    scenarios: {
      replayed_traffic: {
        executor: "constant-arrival-rate",
        rate: Number(average.toPrecision(6)),
        duration: `${profile.seconds}s`,
        pre_allocated_vus: profile.peak,
        max_vus: 2 * profile.peak,
        flow: [{ random: { strategy: "weighted", choices: kept.map(choice) } }],
      },
    },
  };
  return {
    plan,
    notes,
    header: [
      `Load-test plan made by rehearse convert from an access log of ${
        plural(profile.total, "request")
      }.`,
      "It repeats the log's endpoints, in their mix, at the log's average rate: use it to see how",
      "a server holds under the traffic that was recorded.",
      "",
      "What was approximated, and what is left to set before load is put on a server:",
      ...notes.map(({ subject, message }) => `- ${subject}: ${message}`),
      "- checks, thresholds: what must hold for the run to pass",
    ],
    summary: `${plural(profile.total, "request")} over ${profile.seconds} s, ` +
      `average ${rateText(average)}/s, peak ${profile.peak}/s; ` +
      `${kept.length} of ${plural(profile.endpoints, "endpoint")} kept ` +
      `(${percent(keptRequests, profile.total)} of the requests); ` +
      `${plural(profile.malformed, "line")} skipped`,
  };
}

function choice({ method, route, count }: { method: string; route: string; count: number }) {
  const name = `${method} ${route}`;
  return { weight: count, name, steps: [{ request: { name, method, url: route } }] };
}
