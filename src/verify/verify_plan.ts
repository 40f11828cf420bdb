import { InputError } from "../base/errors.ts";
import { run } from "../engine/run_plan.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { listSteps, recordedEntries, requestNumbers } from "../plan/kinds/list_requests.ts";
import { oneIteration, override } from "../plan/override.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { Assessor } from "./assess.ts";
import { JumpClock, mockSender } from "./mock_sender.ts";
import {
  markRequests,
  type PlanRequest,
  valuesInPlan,
  withoutSecretFiles,
  withSecrets,
} from "./plan_requests.ts";
import { readSession, type RecordedSession } from "./recorded_session.ts";
import { buildVerification, type Verification } from "./verification.ts";
import { VerifyingServer } from "./verifying_server.ts";

/** Options for `verifyPlan`. */
export interface VerifyOptions {
  readonly users: number;
  readonly iterations: number;
  readonly seed?: number;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
}

/**
 * Maximum simulated time, in ms, that a scenario takes in addition to the duration of the
 * recording.
 */
const EXTRA_MS = 86_400_000;
/** Longest duration of a recording, in ms, that is simulated in full: a year. */
const MAX_RECORDED_MS = 365 * EXTRA_MS;

/**
 * Runs a plan against a mock server in this process, and compares its requests with the recording.
 * Uses the engine of `run` in simulated time. `source` is the name of the recording in error
 * messages. Throws InputError if the plan cannot run or the recording has no calls.
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
  const { users: vus, iterations, seed = 1 } = options;
  const clock = new JumpClock();
  const assessor = new Assessor(session);
  const constants = new Set(plan.calibration?.constants);
  const kept = keptValues(planned, session, assessor).union(constants);
  const extractors = extractorsByEntry(plan);
  const mock = { seed, planned, kept };
  const server = new VerifyingServer(session, mock, { assessor, constants, extractors });
  const sender = mockSender(server, clock);
  const playable = override(oneIteration(withoutSecretFiles(marked)), {
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
    readEnv: withSecrets(plan, options.readEnv),
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

/**
 * Returns the values in the plan's extractors and conditions that may be constants of the
 * application. The mock server does not regenerate these values. It regenerates all others, so an
 * extractor that searches for a regenerated value finds nothing.
 */
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
