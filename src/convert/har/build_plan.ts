import { InputError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import { listRequests, mapSteps } from "../../plan/kinds/list_requests.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literal } from "../../plan/text/template.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { countOrigins } from "../../traffic/session/kept_calls.ts";
import { isMessage, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { buildFlow, Overlaps, type PlannedCall } from "./build_flow.ts";
import { recordedChecks } from "./checks.ts";
import type { HarFacts } from "./facts.ts";
import { divideHeaders, type PlanHeaders, planHeaders, planStep } from "./plan_request.ts";
import { messageCondition } from "./plan_streams.ts";
import { pollStep } from "./polls.ts";
import { isMovable } from "./secrets.ts";

export function buildPlan(facts: HarFacts): Plan {
  const { options, calls, secrets } = facts;
  const baseUrl = facts.mainOrigin.origin;
  const origins = countOrigins(calls.map(({ exchange }) => exchange)).size;
  const moved = options.secrets ? secrets.filter(isMovable) : [];
  const messages = calls.filter(isMessage);
  const senders = calls.filter((call) => !isMessage(call));
  const headers = divideHeaders(senders.map((call) => planHeaders(call, facts.replacements)));
  const own = new Map<RecordedCall, PlanHeaders>();
  senders.forEach((call, i) => own.set(call, headers.own[i]));
  const planned = buildCalls(facts, own);
  const leftOut = (["other origin", "filtered"] as const)
    .flatMap((kind) => facts.kept.dropped.get(kind) ?? [])
    .map(({ index }) => index + 1).sort((a, b) => a - b);
  return {
    name: `recorded session of ${new URL(baseUrl).host}`,
    description: `Imported from a HAR by rehearse convert: ${plural(senders.length, "request")} ` +
      (messages.length > 0
        ? `and ${plural(messages.length, "WebSocket message")} over `
        : "over ") +
      `${observedSeconds(calls)} s to ${plural(origins, "origin")}.`,
    // An unrecorded redirect, for example to a login page, must not count as the recorded response.
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
        flow: buildFlow(
          planned,
          (text) => publicCondition(text, facts.mask, facts.hide),
          options.parallel ? new Overlaps(options.thinkTime ?? false) : undefined,
        ),
      },
    },
    ...(options.checks && thresholdsFor(facts, planned)),
    ...(leftOut.length > 0 && { recorded: { left_out: leftOut } }),
  };
}

function thresholdsFor(
  { calls, polls }: HarFacts,
  planned: readonly PlannedCall[],
): Pick<Plan, "thresholds"> {
  const isChecked = planned.some(({ step }) =>
    step !== undefined && listRequests([step]).some(({ checks }) => checks !== undefined)
  );
  const hasSocket = calls.some(({ exchange }) => exchange.socketPart === "open");
  // A recorded status of 500 or more counts as a failed request.
  const isFailed = ({ exchange: { response: { status } } }: RecordedCall) => status >= 500;
  const thresholds = {
    ...(isChecked && { checks: ["rate==1"] }),
    ...(polls.size > 0 && !calls.some(isFailed) && { http_req_failed: ["rate==0"] }),
    ...(hasSocket && { ws_session_failed: ["rate==0"] }),
  };
  return Object.keys(thresholds).length > 0 ? { thresholds } : {};
}

/** Seconds from the first start to the last end, rounded to a tenth. */
export function observedSeconds(calls: readonly RecordedCall[]): number {
  const start = calls[0].exchange.startedAt;
  const end = calls.reduce((last, { exchange }) => Math.max(last, exchange.endedAt), start);
  return Math.round((end - start) / 100) / 10;
}

/** A condition on the start of the message `text` may contain a part of a credential in it. */
export function isPublic(condition: Condition, hide: HarFacts["hide"], text = ""): boolean {
  const shown = JSON.stringify(condition) + (condition.type === "jsonpath" ? "" : text);
  return hide(shown) === shown;
}

/** Condition without credentials that recognizes messages of the same kind, if any. */
export function publicCondition(
  text: string,
  mask: HarFacts["mask"],
  hide: HarFacts["hide"],
): Condition | undefined {
  const condition = messageCondition(text, mask);
  return condition && isPublic(condition, hide, text) ? condition : undefined;
}

const MAX_THINK_MS = 30_000;

function buildCalls(
  facts: HarFacts,
  headers: ReadonlyMap<RecordedCall, PlanHeaders>,
): PlannedCall[] {
  const { recording, options, calls, replacements, extractorsOf, redirects, hide } = facts;
  const senders = calls.filter(({ exchange }) => exchange.socketPart !== "receive");
  const pauses = options.thinkTime
    ? pausesBefore(senders.map(({ exchange }) => exchange), options.maxThinkMs ?? MAX_THINK_MS)
    : [];
  const pauseOf = new Map(pauses.map((pause, i) => [senders[i], pause]));
  const planned: PlannedCall[] = [];
  for (const call of calls) {
    const poll = facts.polls.get(call);
    if (poll !== undefined && call !== poll.calls.at(-1)) continue;
    const extract = extractorsOf(call);
    const step = planStep(poll?.calls[0] ?? call, {
      name: facts.requestNameOf(call),
      headers: headers.get(call) ?? {},
      baseUrl: facts.mainOrigin.origin,
      replacements,
      extract,
      stream: facts.streams.get(call),
      follow: redirects.followed.has(call),
      checks: redirects.followed.has(call) ? [] : checksOf(poll?.calls ?? [call], facts),
    });
    planned.push({
      call,
      step: poll === undefined ? step : pollStep(poll, step!.request!),
      extract: step === undefined ? extract : [],
      page: options.groupByPage ? pageTitle(call.exchange, recording, hide) : undefined,
      pause: pauseOf.get(poll?.calls[0] ?? call) ?? 0,
    });
  }
  return planned;
}

function checksOf(
  calls: readonly RecordedCall[],
  { options, mask, hide }: HarFacts,
): readonly Condition[] {
  const level = options.checks;
  if (level === undefined) return [];
  const [own, ...others] = calls.map(({ exchange }) =>
    recordedChecks(exchange.response, level, mask).filter((check) => isPublic(check, hide))
  );
  const texts = others.map((checks) => new Set(checks.map((check) => JSON.stringify(check))));
  return own.filter((check) => texts.every((text) => text.has(JSON.stringify(check))));
}

/** Hides credentials, because browsers may use the page's URL as its title. */
function pageTitle(
  { page }: Exchange,
  { pages }: Recording,
  hide: HarFacts["hide"],
): string | undefined {
  return page === undefined ? undefined : hide(withoutSecrets(pages.get(page) ?? page));
}

/** A file for a field of multipart bodies. `path` is relative to the plan. */
export interface UploadFile {
  readonly field: string;
  readonly path: string;
}

/** Puts files in place of contents. Keeps names and types. Throws InputError for unknown fields. */
export function withUploadFiles(plan: Plan, files: readonly UploadFile[]): Plan {
  if (files.length === 0) return plan;
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const fields = requests.flatMap((request) => partsOf(request).map(({ name }) => name));
  for (const { field, path } of files) {
    if (fields.includes(field)) continue;
    const known = fields.length === 0
      ? "it has no multipart body"
      : `its multipart fields are ${[...new Set(fields)].join(", ")}`;
    throw new InputError(
      `no request of the plan sends a field ${JSON.stringify(field)}: ${known}`,
      {
        source: path,
      },
    );
  }
  const changed = (step: Step): Step => {
    if (step.request === undefined || partsOf(step.request).length === 0) return step;
    const multipart = partsOf(step.request).map((part) => {
      const file = files.find(({ field }) => field === part.name);
      if (file === undefined) return part;
      const { value: _, base64: __, ...rest } = part;
      return { ...rest, file: file.path };
    });
    return { ...step, request: { ...step.request, body: { multipart } } } as Step;
  };
  return {
    ...plan,
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [
        name,
        { ...scenario, flow: mapSteps(scenario.flow, changed) },
      ]),
    ),
  };
}

function partsOf({ body }: Request) {
  return typeof body === "object" ? body.multipart ?? [] : [];
}

/**
 * Pauses in ms, from the end of all earlier calls, at most `maxMs`, and 0 for overlapping calls.
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
