import type { Plan } from "../../plan/schema/plan.ts";
import { recordedEntry } from "../../plan/text/tags.ts";
import { KnownPairs } from "../../correlation/known_pairs.ts";
import { describeDifference } from "../../outcome/difference.ts";
import { urlShape } from "../../outcome/url_shape.ts";
import { findMainOrigin } from "../../traffic/har/http_origin.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { type CallSelection, keptCalls } from "../../traffic/session/kept_calls.ts";
import { CalibrationLog } from "../calibration_log.ts";
import { isEvidence, judgeResponse } from "../../outcome/judge_response.ts";
import { collapseDefaultHeaders, inlineDefaultHeaders } from "../default_headers.ts";
import { Learner } from "../learner.ts";
import type { LiveStep } from "../live_step.ts";
import { originMover } from "../moved_origins.ts";
import { PlanDraft } from "../plan_draft.ts";
import { readRecordedSide, type RecordedSide } from "../recorded_side.ts";
import { type ExtractedRepair, listKeptExtractions, listStillRemoved } from "../repair.ts";
import type { NamelessExtractor } from "../../extract/extractors.ts";
import { extractValue } from "../../correlation/try_extractor.ts";
import { RowTexts } from "../row_texts.ts";
import { VariableWatch } from "../variable_watch.ts";
import type { AgainReport } from "./again_report.ts";
import { ClientRepairs } from "./client_repairs.ts";
import { ResponseSources } from "./response_sources.ts";
import { pairCalls } from "./pair_calls.ts";

/** A plan that was repaired with a second recording of the same session. */
export interface RepairedPlan {
  readonly plan: Plan;
  readonly report: AgainReport;
}

/**
 * Repairs a plan that was made from the recording `first` with a second recording of the same
 * session. First compares the responses in the same way as `calibrate`, with the second recording
 * in place of a live application. Then replaces values that occur only in requests with functions
 * such as `${uuid(NAME)}`. `selection` determines the calls from which the plan was made.
 */
export function repairWithSecond(
  given: Plan,
  first: Recording,
  second: Recording,
  selection: CallSelection = {},
): RepairedPlan {
  const draft = new PlanDraft(inlineDefaultHeaders(given));
  const entries = planEntries(draft);
  const pairs = pairEntries(first, second);
  const secondEntries = new Map([...entries].flatMap(([index, entry]) => {
    const paired = pairs.get(entry);
    return paired === undefined ? [] : [[index, paired] as const];
  }));
  const [origin, secondOrigin] = [first, second].map(({ exchanges }) =>
    mainOrigin(exchanges, selection)
  );
  const sides = {
    recorded: readRecordedSide(
      first,
      entries,
      { recorded: origin, target: origin },
      { areTogether: (index, other) => draft.areTogether(index, other) },
    ),
    live: readRecordedSide(moveHeaders(second, secondOrigin, origin), secondEntries, {
      recorded: secondOrigin,
      target: origin,
    }),
  };
  const found = [...draft.replayed().values()].map((indexes) =>
    compareSides(draft, sides, indexes)
  );
  const pairedEntries = new Set(pairs.values());
  const kept = keptCalls(second.exchanges, selection).exchanges;
  return {
    plan: collapseDefaultHeaders(draft.toPlan(), given),
    report: {
      requests: draft.size,
      paired: secondEntries.size,
      onlyFirst: [...entries.keys()].filter((index) => !secondEntries.has(index)),
      onlySecond: kept.filter(({ index }) => !pairedEntries.has(index + 1)).map(callLabel),
      otherResponses: found.flatMap(({ otherResponses }) => otherResponses),
      extracted: found.flatMap(({ extracted }) => extracted),
      notFound: found.flatMap(({ notFound }) => notFound),
      removed: found.flatMap(({ removed }) => removed),
      constants: found.flatMap(({ constants }) => constants),
      client: found.flatMap(({ client }) => client),
      unexplained: found.flatMap(({ unexplained }) => unexplained),
    },
  };
}

interface Sides {
  readonly recorded: RecordedSide;
  readonly live: RecordedSide;
}

type Findings = Omit<AgainReport, "requests" | "paired" | "onlyFirst" | "onlySecond">;

/**
 * Compares the two recordings of the requests `indexes`, which all belong to one scenario. Repairs
 * `draft` based on the differences.
 */
function compareSides(
  draft: PlanDraft,
  { recorded, live }: Sides,
  indexes: readonly number[],
): Findings {
  const log = new CalibrationLog();
  const known = new KnownPairs();
  const rows = new RowTexts(draft, recorded, log, false);
  const learner = new Learner(draft, recorded, rows, log);
  const variables = new VariableWatch(draft, rows, log);
  const sources = new ResponseSources(recorded, live, learner);
  const client = new ClientRepairs(draft, recorded, known, sources);
  const repairs: ExtractedRepair[] = [];
  const otherResponses: { index: number; difference: string }[] = [];
  const notFound: { variable: string; source: number }[] = [];
  client.replacePkce();
  for (const index of indexes) {
    const [step, liveStep] = [recorded.at(index), live.at(index)];
    if (step === undefined || liveStep === undefined) continue;
    client.compare(index, step, liveStep);
    const { differences } = judgeResponse(step.response, liveStep.response, known, {
      method: step.exchange.request.method,
    });
    if (!isEvidence(differences)) {
      otherResponses.push({ index, difference: describeDifference(differences[0]) });
      continue;
    }
    const { response } = liveStep;
    const current: LiveStep = { response, known, unique: "", set: () => {} };
    const get = (variable: string) => {
      const extractor = draft.at(index).extract?.find(({ name }) => name === variable);
      return extractor && extractor.type !== "xpath"
        ? extractValue(extractor, response)
        : undefined;
    };
    const missing = (draft.at(index).extract ?? []).filter(({ type, name, ...rest }) =>
      type !== "xpath" &&
      extractValue({ type, ...rest } as NamelessExtractor, step.response) !== undefined &&
      get(name) === undefined
    );
    // The second recording may come from another deployment, so the variable stays.
    notFound.push(...missing.map(({ name }) => ({ variable: name, source: index })));
    variables.check(index, step.response, current, get, otherResponses.length + missing.length > 0);
    sources.add(index, current);
    const found = learner.learn(index, current, []);
    repairs.push(...found.filter((repair) => repair.kind === "extracted"));
  }
  const kept = listKeptExtractions([...repairs, ...client.repairs], (index) => draft.at(index));
  return {
    otherResponses,
    extracted: kept.map(({ variable, source }) => ({
      variable,
      source,
      consumers: draft.consumers(source, variable),
    })),
    notFound,
    removed: listStillRemoved(
      variables.removed,
      kept,
      (index, other) => draft.areTogether(index, other),
    ),
    constants: variables.constants.map(({ variable, source }) => ({ variable, source })),
    client: client.replaced,
    unexplained: client.unexplained,
  };
}

function planEntries(draft: PlanDraft): Map<number, number> {
  const entries = new Map<number, number>();
  for (let index = 0; index < draft.size; index++) {
    const entry = recordedEntry(draft.at(index));
    if (entry !== undefined) entries.set(index, entry);
  }
  return entries;
}

/**
 * Pairs the entries of two recordings. Returns a map from entry numbers of the first recording to
 * those of the second. Numbers start at 1.
 */
function pairEntries(first: Recording, second: Recording): Map<number, number> {
  const [a, b] = [first, second].map(({ exchanges }) => exchanges);
  const requests = (exchanges: readonly Exchange[]) => exchanges.map(({ request }) => request);
  return new Map(
    pairCalls(requests(a), requests(b)).map(([i, j]) => [a[i].index + 1, b[j].index + 1]),
  );
}

/**
 * Returns the origin that `convert` takes as the base URL. Ignores `selection` if it selects no
 * call, because the recording may be from a different deployment.
 */
function mainOrigin(exchanges: readonly Exchange[], selection: CallSelection): string {
  const { origin = "http://localhost" } =
    findMainOrigin(keptCalls(exchanges, selection).exchanges) ??
      findMainOrigin(keptCalls(exchanges).exchanges) ?? {};
  return origin;
}

/**
 * Returns the recording with the origin `from` replaced by `to` in request headers such as
 * `Origin`.
 */
function moveHeaders(recording: Recording, from: string, to: string): Recording {
  if (from === to) return recording;
  const move = originMover(from, to);
  const exchanges = recording.exchanges.map((exchange) => {
    const headers = exchange.request.headers.map(({ name, value }) => ({
      name,
      value: move(value),
    }));
    return { ...exchange, request: { ...exchange.request, headers } };
  });
  return { ...recording, exchanges };
}

function callLabel({ request }: Exchange): string {
  return `${request.method} ${urlShape(request.url)}`;
}
