import { InputError } from "../base/errors.ts";
import { withMovedHeaders } from "../plan/targets.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { literal } from "../plan/text/template.ts";
import { listRequests } from "../plan/kinds/list_requests.ts";
import { recordedEntry } from "../plan/text/metrics.ts";
import { findMainOrigin, httpOrigin } from "../traffic/har/origins.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { movePlan } from "./moved_origins.ts";
import { originMover } from "../traffic/har/origins.ts";

/** A plan whose requests go to the target of a calibration. */
export interface AimedPlan {
  readonly plan: Plan;
  /**
   * Recorded origin that the target replaces. Equal to the target's origin if the plan is not
   * moved.
   */
  readonly recorded: string;
  /** Origin of the target, such as `http://127.0.0.1:8080`. */
  readonly target: string;
}

/**
 * Moves a plan from the recorded origin to the origin of `baseUrl`, the target. Does not move the
 * plan if the recording has calls to the target, because the other recorded origins then belong to
 * the same system. `source` is the name of the recording in error messages. Throws InputError if no
 * request in the plan refers to an entry in the recording, or if the target is unknown because
 * `baseUrl` (by default the plan's own base URL) is not a complete URL.
 */
export function aimPlan(
  plan: Plan,
  recording: Recording,
  baseUrl: string | undefined,
  source: string,
): AimedPlan {
  const exchanges = taggedExchanges(plan, recording);
  const main = findMainOrigin(exchanges)?.origin;
  if (main === undefined) {
    throw new InputError(
      "cannot calibrate: no request in the plan refers to an entry in this recording " +
        '(`tags: {recorded: "1"}`); convert the recording again',
      { source },
    );
  }
  const own = plan.defaults?.http?.base_url;
  const target = URL.parse(baseUrl ?? own ?? main)?.origin;
  if (target === undefined) {
    throw new InputError("cannot calibrate: the target is unknown; add `--base-url URL`", {
      source,
    });
  }
  const origins = new Set(exchanges.map(({ request }) => httpOrigin(request.url)));
  if (origins.has(target)) {
    return { plan: withBaseUrl(plan, own ?? main), recorded: target, target };
  }
  const base = own === undefined ? undefined : URL.parse(own)?.origin;
  const recorded = base !== undefined && origins.has(base) ? base : main;
  // An overlay may already have moved the headers to its base URL.
  const prepared = withMovedHeaders(plan, literal(target));
  const moved = movePlan(prepared, originMover(recorded, target), baseUrl ?? target);
  return { plan: moved, recorded, target };
}

/** Returns the recorded calls that the plan's requests refer to, in the order of the requests. */
function taggedExchanges(plan: Plan, { exchanges }: Recording): Exchange[] {
  const byEntry = new Map(exchanges.map((exchange) => [exchange.index + 1, exchange]));
  return Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)])
    .flatMap((request) => {
      const exchange = byEntry.get(recordedEntry(request) ?? 0);
      return exchange === undefined ? [] : [exchange];
    });
}

function withBaseUrl(plan: Plan, url: string): Plan {
  return {
    ...plan,
    defaults: { ...plan.defaults, http: { ...plan.defaults?.http, base_url: url } },
  };
}
