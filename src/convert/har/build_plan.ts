import { plural } from "../../base/format.ts";
import type { Condition } from "../../plan/kinds/conditions/conditions.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import type { Step } from "../../plan/kinds/steps/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literal } from "../../plan/text/template.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { countOrigins } from "../../traffic/session/call_selection.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { HarFacts } from "./facts.ts";
import { isMovable } from "./find_secrets.ts";
import { MAX_THINK_MS } from "./har_options.ts";
import { withoutSecrets } from "./hide_secrets.ts";
import { recordedChecks } from "./checks/response_checks.ts";
import { planHeaders, planRequest } from "./plan_request.ts";
import { divideHeaders, type PlanHeaders } from "./shared_headers.ts";

/** Builds a plan with one scenario, `recorded`, that sends each kept call of a HAR once. */
export function buildPlan(facts: HarFacts): Plan {
  const { options, calls, baseUrl, secrets } = facts;
  const origins = countOrigins(calls.map(({ exchange }) => exchange)).size;
  const moved = options.secrets ? secrets.filter(isMovable) : [];
  const headers = divideHeaders(calls.map((call) => planHeaders(call, facts.replacements)));
  const planned = buildCalls(facts, headers.own);
  const isChecked = planned.some(({ request }) => request.checks !== undefined);
  return {
    name: `recorded session of ${new URL(baseUrl).host}`,
    description:
      `Imported from a HAR by rehearse convert: ${plural(calls.length, "request")} over ` +
      `${observedSeconds(calls)} s to ${plural(origins, "origin")}.`,
    // An unrecorded redirect, for example to a login page, must not pass for the recorded response.
    defaults: {
      http: {
        base_url: literal(baseUrl),
        ...(Object.keys(headers.defaults).length > 0 && { headers: headers.defaults }),
        follow_redirects: false,
      },
    },
    ...(moved.length > 0 && {
      secrets: Object.fromEntries(moved.map(({ name, env }) => [name, { env }])),
    }),
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        new_user: true,
        flow: buildFlow(planned),
      },
    },
    ...(isChecked && { thresholds: { checks: ["rate==1"] } }),
  };
}

/**
 * Returns the time from the start of the first call to the end of the call that ends last, in seconds,
 * rounded to a tenth.
 */
export function observedSeconds(calls: readonly RecordedCall[]): number {
  const start = calls[0].exchange.startedAt;
  const end = calls.reduce((last, { exchange }) => Math.max(last, exchange.endedAt), start);
  return Math.round((end - start) / 100) / 10;
}

function buildCalls(facts: HarFacts, headers: readonly PlanHeaders[]): PlannedCall[] {
  const { recording, options, calls, baseUrl, replacements, correlation, redirects, hide } = facts;
  const extractors = Map.groupBy(correlation.variables, ({ candidate }) => candidate.producer);
  const pauses = options.thinkTime
    ? pausesBefore(calls.map(({ exchange }) => exchange), options.maxThinkMs ?? MAX_THINK_MS)
    : [];
  const isPublic = (check: Condition) => {
    const text = JSON.stringify(check);
    return hide(text) === text;
  };
  return calls.map((call, i) => ({
    request: planRequest(call, {
      name: facts.requestNameOf(call),
      headers: headers[i],
      baseUrl,
      replacements,
      extract: extractors.get(call)?.map(({ extractor }) => extractor) ?? [],
      follow: redirects.followed.has(call),
      checks: options.checks && !redirects.followed.has(call)
        ? recordedChecks(call.exchange.response, options.checks, facts.mask)
          .filter(isPublic)
        : [],
    }),
    page: options.groupByPage ? pageTitle(call.exchange, recording, hide) : undefined,
    pause: pauses[call.order] ?? 0,
  }));
}

/**
 * Returns the title of the call's page, or undefined if the call belongs to no page. Hides credentials
 * in the title, because browsers may use the page's URL as its title.
 */
function pageTitle(
  { page }: Exchange,
  { pages }: Recording,
  hide: HarFacts["hide"],
): string | undefined {
  return page === undefined ? undefined : hide(withoutSecrets(pages.get(page) ?? page));
}

/** A call in the flow of the plan. */
interface PlannedCall {
  readonly request: Request;
  /** Title of the page whose group contains the call, or undefined if the call is in no group. */
  readonly page: string | undefined;
  /** Pause before the call, in milliseconds. */
  readonly pause: number;
}

/**
 * Builds the steps that send the calls in order, and adds the pause before each call as a think
 * time. Consecutive calls of the same page form one group.
 */
function buildFlow(calls: readonly PlannedCall[]): Step[] {
  const flow: Step[] = [];
  let steps = flow;
  let page: string | undefined;
  for (const call of calls) {
    if (call.page !== page) {
      page = call.page;
      steps = page === undefined ? flow : [];
      if (call.pause > 0) flow.push({ think_time: pauseText(call.pause) });
      if (page !== undefined) flow.push({ group: { name: groupName(page), steps } });
    } else if (call.pause > 0) steps.push({ think_time: pauseText(call.pause) });
    steps.push({ request: call.request });
  }
  return flow;
}

/** Converts a page title to a group name. Replaces `::`, which separates nested groups in tags. */
function groupName(title: string): string {
  return title.replace(/:{2,}/g, ":");
}

/**
 * Returns the pause before each call in whole milliseconds, at most `maxMs`. A pause lasts from the end
 * of all earlier calls to the start of the call. The pause is 0 for the first call, and for calls that
 * overlap an earlier call.
 */
function pausesBefore(
  calls: readonly { readonly startedAt: number; readonly endedAt: number }[],
  maxMs: number,
): number[] {
  let end = Infinity;
  return calls.map(({ startedAt, endedAt }) => {
    const gap = Math.min(Math.max(0, Math.round(startedAt - end)), maxMs);
    end = end === Infinity ? endedAt : Math.max(end, endedAt);
    return gap;
  });
}

/** Formats a pause as a duration in a plan, without rounding: `350ms`, `1.25s`, `90s`. */
function pauseText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
