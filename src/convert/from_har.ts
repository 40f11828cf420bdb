import { InputError } from "../base/errors.ts";
import { literal } from "../plan/template.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Exchange } from "../traffic/har/exchange.ts";
import { mostCommonOrigin } from "../traffic/har/origin.ts";
import type { Recording } from "../traffic/har/recording.ts";
import type { Converted } from "./converted.ts";
import { correlate, type Correlation } from "./correlate/correlate.ts";
import { type Draft, draftsOf } from "./correlate/draft.ts";
import { explain } from "./correlate/explain.ts";
import { type Call, flowOf } from "./har/flow.ts";
import { headerLines } from "./har/header_lines.ts";
import { countOrigins, isAsked, keptCalls } from "./har/kept_calls.ts";
import { keptHeaders } from "./har/kept_headers.ts";
import { harNotes } from "./har/notes.ts";
import { type HarOptions, MAX_THINK_MS } from "./har/options.ts";
import { findRedirects, targetOf } from "./har/redirects.ts";
import { planRequest, requestName } from "./har/request.ts";
import { findSecrets, moveSecrets, type Secret } from "./har/secrets.ts";
import { pausesBefore } from "./har/think_time.ts";
import { plural } from "./wording.ts";

/** What the conversion of a HAR gives. */
export interface HarConversion extends Converted {
  /** One line a finding: every dynamic-looking value and what became of it. Empty unless asked for. */
  readonly explanation: readonly string[];
}

/**
 * A plan with one scenario, `recorded`, that sends each recorded call once, in order, with the values
 * that the server makes taken from its answers (converter.md sections 4.3 and 4.4). `source` is what
 * the user calls the input. Throws InputError when no call is left to send.
 */
export function convertHar(
  recording: Recording,
  options: HarOptions,
  source = "the HAR",
): HarConversion {
  const calls = keptCalls(recording.exchanges, options.origins);
  const baseUrl = mostCommonOrigin(calls.exchanges.map(({ request }) => request.url));
  if (baseUrl === undefined) throw new InputError(nothingLeft(recording, options), { source });
  const drafts = draftsOf(calls.exchanges, keptHeaders);
  const correlation = correlate(drafts, {
    sources: new Set(["json", ...options.correlate ?? []]),
    explain: options.explain ?? false,
  });
  const secrets = findSecrets(drafts);
  if (options.secrets) moveSecrets(secrets);
  const redirects = findRedirects(drafts);
  const kept = new Set(calls.exchanges);
  const leftOut = new Set(
    recording.exchanges.filter((exchange) => !kept.has(exchange)).map(({ request }) => request.url),
  );
  const followed = [...redirects.unrecorded].filter((draft) =>
    !mustStop(draft, leftOut, options, correlation)
  );
  const stopped = redirects.recorded.union(redirects.unrecorded).difference(new Set(followed));
  const nameOf = (draft: Draft) => `request ${draft.order + 1} (${requestName(draft, baseUrl)})`;
  const notes = harNotes({
    recording,
    calls,
    options,
    drafts,
    baseUrl,
    correlation,
    secrets,
    stopped,
    followed,
    nameOf,
  });
  const plan = planOf({ recording, options, drafts, baseUrl, correlation, secrets, stopped });
  return {
    plan,
    notes,
    header: headerLines(drafts.length, notes),
    summary: summaryOf(recording, drafts, correlation),
    explanation: options.explain ? explain(drafts, correlation, nameOf) : [],
  };
}

function nothingLeft({ exchanges, skipped }: Recording, { origins }: HarOptions): string {
  const found = `${plural(exchanges.length, "call")} (${skipped.length} more could not be read)`;
  const asked = origins === undefined ? "" : ` to ${origins.join(", ")}`;
  return `no plan can be made of the HAR: of ${found} none is left to send${asked}; ` +
    "expected at least one HTTP call that is not a static asset and got an answer";
}

/**
 * Whether the plan must not follow an unrecorded redirect: its target was left out on purpose, or the
 * redirect itself is read.
 */
function mustStop(
  draft: Draft,
  leftOut: ReadonlySet<string>,
  { origins }: HarOptions,
  { variables }: Correlation,
): boolean {
  const target = targetOf(draft)!;
  return !isAsked(target, origins) || leftOut.has(target) ||
    variables.some(({ candidate }) => candidate.producer === draft);
}

interface PlanParts {
  readonly recording: Recording;
  readonly options: HarOptions;
  readonly drafts: readonly Draft[];
  readonly baseUrl: string;
  readonly correlation: Correlation;
  readonly secrets: readonly Secret[];
  readonly stopped: ReadonlySet<Draft>;
}

function planOf(parts: PlanParts): Plan {
  const { options, drafts, baseUrl, secrets } = parts;
  const origins = countOrigins(drafts.map(({ exchange }) => exchange)).size;
  return {
    name: `recorded session of ${new URL(baseUrl).host}`,
    description:
      `Imported from a HAR by rehearse convert: ${plural(drafts.length, "request")} over ` +
      `${secondsOf(drafts)} s to ${plural(origins, "origin")}.`,
    defaults: { http: { base_url: literal(baseUrl) } },
    ...(options.secrets && secrets.length > 0 && {
      secrets: Object.fromEntries(secrets.map(({ name }) => [name, { env: name }])),
    }),
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: flowOf(callsOf(parts)),
      },
    },
  };
}

function callsOf({ recording, options, drafts, baseUrl, correlation, stopped }: PlanParts): Call[] {
  const extractors = Map.groupBy(correlation.variables, ({ candidate }) => candidate.producer);
  const pauses = options.thinkTime
    ? pausesBefore(drafts.map(({ exchange }) => exchange), options.maxThinkMs ?? MAX_THINK_MS)
    : [];
  return drafts.map((draft) => ({
    request: planRequest(draft, {
      baseUrl,
      extract: extractors.get(draft)?.map(({ extractor }) => extractor) ?? [],
      stop: stopped.has(draft),
      status: options.statusChecks ? expectedStatus(draft, stopped.has(draft)) : undefined,
    }),
    page: options.groupByPage ? pageOf(draft.exchange, recording) : undefined,
    pause: pauses[draft.order] ?? 0,
  }));
}

/** The status that the plan's request will get; undefined where the recording cannot tell. */
function expectedStatus(draft: Draft, stop: boolean): number | undefined {
  const { status } = draft.exchange.response;
  if (status === 304) return 200; // the conditions of the warm cache are not sent
  return status === 0 || (targetOf(draft) !== undefined && !stop) ? undefined : status;
}

function pageOf({ page }: Exchange, { pages }: Recording): string | undefined {
  return page === undefined ? undefined : pages.get(page) ?? page;
}

function secondsOf(drafts: readonly Draft[]): number {
  const start = drafts[0].exchange.startedAt;
  const end = drafts.reduce((last, { exchange }) => Math.max(last, exchange.endedAt), start);
  return Math.round((end - start) / 100) / 10;
}

function summaryOf(
  { exchanges, skipped }: Recording,
  drafts: readonly Draft[],
  { variables, offers }: Correlation,
): string {
  const sum = exchanges.length + skipped.length;
  return `${plural(drafts.length, "request")} of ${plural(sum, "recorded call")} over ` +
    `${secondsOf(drafts)} s; ${plural(variables.length, "value")} correlated, ` +
    `${offers.length} more found beyond JSON bodies`;
}
