import { InputError } from "../base/errors.ts";
import { run } from "../engine/run_plan.ts";
import type { Summary } from "../engine/summary/summary.ts";
import type { ErrorKind } from "../http/sender.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { listSteps, recordedEntries, requestNumbers } from "../plan/kinds/list_requests.ts";
import { oneIteration, override } from "../plan/override.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { changesData, isSafeMethod } from "../traffic/session/changes_data.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { Assessor } from "./assess.ts";
import type {
  AddedRequest,
  ComparedCall,
  Counted,
  Difference,
  Observations,
  StaleValue,
  UnprovenValue,
} from "./findings.ts";
import { JumpClock, mockSender } from "./mock_sender.ts";
import {
  lacksText,
  markRequests,
  type PlanRequest,
  restoreLostValues,
  SECRET,
  valuesInPlan,
} from "./plan_requests.ts";
import { readSession, type RecordedSession } from "./recorded_session.ts";
import { VerifyingServer } from "./verifying_server.ts";

/** Options for `verifyPlan`. */
export interface VerifyOptions {
  readonly users: number;
  readonly iterations: number;
  readonly seed?: number;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
}

/** Simulated time, in ms, that a scenario may take in addition to the recorded duration. */
const EXTRA_MS = 86_400_000;
/** Longest duration of a recording, in ms, that is simulated in full: a year. */
const MAX_RECORDED_MS = 365 * EXTRA_MS;

/**
 * Runs a plan in simulated time against a mock server in this process. `source` is the recording's
 * name. Throws InputError if the plan cannot run or the recording has no calls.
 */
export async function verifyPlan(
  plan: Plan,
  recording: Recording,
  options: VerifyOptions,
  source = "the HAR",
): Promise<Verification> {
  const { plan: marked, requests: planned } = markRequests(plan);
  const session = readSession(recording, {
    values: valuesInPlan(plan),
    entries: new Set(planned.flatMap(({ entries }) => entries)),
    numbers: requestNumbers(plan),
  });
  if (session === undefined) {
    throw new InputError(
      "cannot verify against the HAR: it has no calls that a plan could send",
      { source },
    );
  }
  restoreLostValues(marked, session.byEntry);
  const { users: vus, iterations, seed = 1 } = options;
  const clock = new JumpClock();
  const assessor = new Assessor(session);
  const constants = new Set(plan.calibration?.constants);
  const kept = keptValues(planned, session, assessor).union(constants);
  const extractors = extractorsByEntry(plan);
  const mock = { seed, planned, kept };
  const server = new VerifyingServer(session, mock, { assessor, constants, extractors });
  const sender = mockSender(server, clock);
  const hidden = withoutSecrets(marked, options.readEnv);
  const playable = override(oneIteration(hidden.plan), {
    ...(plan.defaults?.http?.base_url === undefined && { baseUrl: session.origin }),
    vus,
    iterations,
    duration: `${EXTRA_MS + recordedMs(session)}ms`,
  });
  const summary = await run(playable, {
    sender,
    clock,
    seed,
    ticks: false,
    readFile: options.readFile,
    readEnv: hidden.readEnv,
  });
  clock.close();
  const leftOut = plan.recorded?.left_out;
  return buildVerification(session, server.seen, summary, { users: vus, iterations, leftOut });
}

function recordedMs({ exchanges }: RecordedSession): number {
  let [first, last] = [Infinity, -Infinity];
  for (const { startedAt, endedAt } of exchanges) {
    first = Math.min(first, startedAt);
    last = Math.max(last, endedAt);
  }
  return Math.ceil(Math.min(MAX_RECORDED_MS, Math.max(0, last - first)));
}

function extractorsByEntry({ scenarios }: Plan): Map<number, readonly Extractor[]> {
  const found = new Map<number, readonly Extractor[]>();
  for (const { request } of Object.values(scenarios).flatMap(({ flow }) => [...listSteps(flow)])) {
    for (const entry of request?.extract === undefined ? [] : recordedEntries(request)) {
      found.set(entry, [...found.get(entry) ?? [], ...request!.extract!]);
    }
  }
  return found;
}

/** Returns values in extractors and conditions that may be constants, so the mock keeps them. */
function keptValues(
  planned: readonly PlanRequest[],
  { origins }: RecordedSession,
  assessor: Assessor,
): Set<string> {
  const kept = new Set<string>();
  for (const value of planned.flatMap(({ expected }) => [...expected])) {
    const [holder] = origins.of(value)?.holders ?? [];
    const isOfSession = holder !== undefined &&
      (changesData(holder) || assessor.assess(value, holder, "") === "token");
    if (!isOfSession) kept.add(value);
  }
  return kept;
}

/** A request failure that the plan caused. */
export interface PlanFault {
  readonly request: string;
  readonly message: string;
}

/**
 * The first that applies. `failed`: nothing extracted, sent or matched, or another plan's
 * recording. `incomplete`: a call was not sent, and is not excluded on purpose. `unproven`: the
 * recording cannot show that all is right, or the plan repeats recorded writes.
 */
export type VerificationVerdict =
  | "stale"
  | "failed"
  | "differs"
  | "incomplete"
  | "unproven"
  | "consistent";

/** Also `unproven` if the response's body is lost, or depends on a call that may fail. */
export type CallResult = "stale" | "unproven" | "differs" | "consistent" | "not sent";

export interface VerifiedCall {
  /** Name of the call, such as `request 4 (POST /orders)`. */
  readonly call: string;
  readonly entry: number;
  readonly verdict: CallResult;
  /** Name of an earlier call that may fail, so that this call, right itself, may fail too. */
  readonly dependsOn: string | undefined;
  readonly sent: number;
}

/** Result of running a plan against a recording, with lists in order of occurrence. */
export interface Verification {
  readonly verdict: VerificationVerdict;
  /** Fewer than one in five requests looks like a recorded call. */
  readonly isForeign: boolean;
  readonly users: number;
  readonly iterations: number;
  /** Calls that the plan does not leave out on purpose, to send once per iteration. */
  readonly recorded: number;
  readonly sent: number;
  /** Requests that are as recorded, except for fresh and client-generated values. */
  readonly matched: number;
  /** `matched` by the larger number of sent and expected requests, 0 to 1. */
  readonly share: number;
  readonly stale: readonly Counted<StaleValue>[];
  readonly unproven: readonly Counted<UnprovenValue>[];
  readonly differing: readonly Counted<Difference>[];
  /** Recorded calls that an iteration did not send. `count` is of missing requests. */
  readonly neverMade: readonly Counted<{ readonly call: string }>[];
  readonly added: readonly Counted<AddedRequest>[];
  /** Calls with incomplete bodies, which may contain values that later requests send. */
  readonly missingBodies: readonly { readonly call: string }[];
  readonly calls: readonly VerifiedCall[];
  readonly nothingFound: readonly Counted<PlanFault>[];
  readonly unsent: readonly Counted<PlanFault>[];
}

/** If less than one in this many requests is in the recording, it is another plan's. */
const FOREIGN = 5;

interface ExpectedLoad {
  readonly users: number;
  readonly iterations: number;
  readonly leftOut?: Iterable<number>;
}

function buildVerification(
  session: RecordedSession,
  seen: Observations,
  summary: Summary,
  { users, iterations, leftOut = [] }: ExpectedLoad,
): Verification {
  const { nameOf } = session;
  const { sent, compared } = seen;
  const omitted = new Set(leftOut);
  const byCall = Map.groupBy(compared, ({ call }) => call);
  const calls = session.calls.filter((call) =>
    byCall.has(call) || !omitted.has(call.exchange.index + 1)
  );
  const callCounts = new Map([...byCall].map(([call, { length }]) => [call, length]));
  const due = users * iterations;
  const strange = seen.added.filter(({ like }) => like === undefined).length +
    compared.filter(({ isAlike }) => !isAlike).length;
  const isForeign = (sent - strange) * FOREIGN < sent;
  const neverMade = calls.map((call) => ({
    call: nameOf(call),
    count: due - (callCounts.get(call) ?? 0),
  })).filter(({ count }) => count > 0);
  const found = {
    isForeign,
    users,
    iterations,
    recorded: calls.length,
    sent,
    matched: seen.matched,
    share: seen.matched / Math.max(sent, calls.length * due),
    stale: countEqual(seen.stale),
    unproven: countEqual(compared.flatMap(({ unproven }) => unproven)),
    differing: countEqual(compared.flatMap(({ differing }) => differing)),
    neverMade,
    added: countEqual(seen.added),
    missingBodies: calls.filter(isIncomplete).map((call) => ({ call: nameOf(call) })),
    calls: callResults({ calls, nameOf }, byCall, due),
    nothingFound: faults(summary, ["extract"]),
    unsent: faults(summary, ["template", "protocol", "upgrade", "timeout", "closed"]),
  };
  return { verdict: verdictOf(found), ...found };
}

export function verdictOf(found: Omit<Verification, "verdict">): VerificationVerdict {
  const { isForeign, matched, stale, unproven, differing, neverMade, added } = found;
  if (stale.length > 0) return "stale";
  if (isForeign || matched <= 0) return "failed";
  if (found.nothingFound.length > 0 || found.unsent.length > 0) return "failed";
  if (differing.length > 0) return "differs";
  if (neverMade.length > 0) return "incomplete";
  if (unproven.length > 0 || found.missingBodies.length > 0) return "unproven";
  return added.some(({ isWrite }) => isWrite) ? "unproven" : "consistent";
}

function countEqual<Item extends object>(items: readonly Item[]): Counted<Item>[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(item)).values()]
    .map((own) => ({ ...own[0], count: own.length }));
}

function faults({ errors }: Summary, kinds: readonly ErrorKind[]): Counted<PlanFault>[] {
  return errors.filter(({ kind }) => kinds.includes(kind))
    .map(({ name, message, count }) => ({ request: name, message, count }));
}

/**
 * A call depends on earlier calls whose responses have what it sends, and on earlier writes to its
 * origin. If these may fail, it is unproven. `due`: requests that are expected for each call.
 */
function callResults(
  { calls, nameOf }: Pick<RecordedSession, "calls" | "nameOf">,
  byCall: ReadonlyMap<RecordedCall, readonly ComparedCall[]>,
  due: number,
): VerifiedCall[] {
  const doubtful = new Map<RecordedCall["exchange"], RecordedCall>();
  const doubtfulWrites = new Map<string, RecordedCall>();
  return calls.map((call) => {
    const seen = byCall.get(call) ?? [];
    const own = ownVerdict(seen, due);
    const source = seen.flatMap(({ sources }) => [...sources])
      .map((exchange) => doubtful.get(exchange)).find((found) => found !== undefined);
    const cause = source ?? doubtfulWrites.get(call.url.origin);
    const isDoubtful = cause !== undefined || own !== "consistent" && own !== "differs";
    if (isDoubtful) {
      doubtful.set(call.exchange, call);
      const { origin } = call.url;
      if (!isSafeMethod(methodOf(call)) && !doubtfulWrites.has(origin)) {
        doubtfulWrites.set(origin, call);
      }
    }
    const verdict = own === "consistent" && (cause !== undefined || isIncomplete(call))
      ? "unproven"
      : own;
    return {
      call: nameOf(call),
      entry: call.exchange.index + 1,
      verdict,
      dependsOn: own === "consistent" || own === "differs" ? cause && nameOf(cause) : undefined,
      sent: seen.length,
    };
  });
}

function ownVerdict(seen: readonly ComparedCall[], due: number): CallResult {
  if (seen.some(({ stale }) => stale.length > 0)) return "stale";
  if (seen.some(({ differing }) => differing.length > 0)) return "differs";
  if (seen.some(({ unproven }) => unproven.length > 0)) return "unproven";
  return seen.length < due ? "not sent" : "consistent";
}

/** Reports whether the recording lacks a part of the request's body, or the response's text. */
function isIncomplete({ exchange }: RecordedCall): boolean {
  return exchange.request.bodyMissing === true || lacksText(exchange);
}

/** Makes a plan read its secrets, which are placeholders, from the environment. */
function withoutSecrets(
  plan: Plan,
  readEnv: (name: string) => string | undefined,
): { readonly plan: Plan; readonly readEnv: (name: string) => string | undefined } {
  if (plan.secrets === undefined) return { plan, readEnv };
  const names = new Set(Object.keys(plan.secrets));
  const secrets = Object.fromEntries(names.values().map((name) => [name, { env: name }]));
  return {
    plan: { ...plan, secrets },
    readEnv: (name) => names.has(name) ? SECRET : readEnv(name),
  };
}
