import { isMap } from "../base/exact_number.ts";
import { listRequests, mapPlanSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { cookiesOf, parseSetCookies } from "../traffic/session/headers.ts";
import { usesVariable } from "./literal_edit.ts";

/** A request that the plan sends earlier, because the browser did not wait for a response. */
export interface MovedRequest {
  readonly index: number;
  /** Zero-based index, in the changed plan, of the request before which it was moved. */
  readonly before: number;
  /** Recorded time from the start of the request `before` to that of the moved one, in ms. */
  readonly ms: number;
}

/** A request to move, and the one before which to send it. */
interface Move {
  readonly request: Request;
  readonly before: Request;
  readonly ms: number;
}

/**
 * Moves a request before an earlier one if the browser sent it while the earlier request was in
 * flight, and if it still contains the old value of a cookie that the response to the earlier
 * request changed, unless many responses renew this cookie. A plan sends requests one after
 * another, so without the move, the cookie would already have its new value. An example is a beacon
 * that a page sends while it navigates to `/logout`. Considers only consecutive steps of a
 * scenario's flow.
 */
export function moveOverlapped(
  plan: Plan,
  { exchanges }: Recording,
): { readonly plan: Plan; readonly moved: readonly MovedRequest[] } {
  const byEntry = new Map(exchanges.map((exchange) => [exchange.index + 1, exchange]));
  const changes = new CookieChanges(exchanges);
  const moves: Move[] = [];
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) => {
    const flow = moveSteps(scenario.flow, (step) => exchangeOf(step, byEntry), changes, moves);
    return [name, moves.length > 0 ? { ...scenario, flow } : scenario] as const;
  });
  if (moves.length === 0) return { plan, moved: [] };
  const changed = { ...plan, scenarios: Object.fromEntries(scenarios) } as Plan;
  const numbers = numberRequests(changed);
  const moved = moves.map(({ request, before, ms }) => (
    { index: numbers.get(request)!, before: numbers.get(before)!, ms }
  ));
  return { plan: changed, moved };
}

function exchangeOf(
  { request }: Step,
  byEntry: ReadonlyMap<number, Exchange>,
): Exchange | undefined {
  return request && byEntry.get(recordedEntry(request) ?? 0);
}

function moveSteps(
  flow: readonly Step[],
  exchangeOf: (step: Step) => Exchange | undefined,
  changes: CookieChanges,
  moves: Move[],
): Step[] {
  const steps: Step[] = [];
  for (const step of flow) {
    const own = exchangeOf(step);
    let to = steps.length;
    // Searches the requests that were still in flight when this one was sent.
    for (let i = steps.length - 1; own !== undefined && i >= 0; i--) {
      const earlier = exchangeOf(steps[i]);
      if (earlier === undefined || earlier.endedAt <= own.startedAt) break;
      if (extractsFor(steps[i], step)) break;
      if (changes.keepsOld(own, earlier)) to = i;
    }
    if (to < steps.length) {
      const ms = own!.startedAt - exchangeOf(steps[to])!.startedAt;
      moves.push({ request: step.request!, before: steps[to].request!, ms });
    }
    steps.splice(to, 0, step);
  }
  return steps;
}

function extractsFor(earlier: Step, later: Step): boolean {
  const { request } = later;
  return request !== undefined &&
    (earlier.request?.extract ?? []).some(({ name }) => usesVariable(request, name));
}

/** Fewest changes of a cookie that show that responses renew it. */
const FEWEST_RENEWALS = 4;

class CookieChanges {
  readonly #renewed: ReadonlySet<string>;

  constructor(exchanges: readonly Exchange[]) {
    const counts = (names: readonly string[]) => Map.groupBy(names, (name) => name);
    const sent = counts(
      exchanges.flatMap(({ request }) => [...new Map(cookiesOf(request)).keys()]),
    );
    this.#renewed = new Set(
      [...counts(exchanges.flatMap(changedCookies))].filter(([name, { length }]) =>
        length >= FEWEST_RENEWALS && length * 4 > sent.get(name)!.length
      ).map(([name]) => name),
    );
  }

  /** Reports whether `later` sends the old value of a cookie that `earlier` changes. */
  keepsOld(later: Exchange, earlier: Exchange): boolean {
    const [own, sent] = [later, earlier].map(({ request }) => new Map(cookiesOf(request)));
    const [host, other] = [later, earlier].map(({ request }) => new URL(request.url).hostname);
    return (host.endsWith(other) || other.endsWith(host)) &&
      changedCookies(earlier).some((name) =>
        !this.#renewed.has(name) && own.get(name) === sent.get(name)
      );
  }
}

/** Returns the names of the cookies that a request sends and that its response changes. */
function changedCookies({ request, response }: Exchange): string[] {
  const sent = new Map(cookiesOf(request));
  return parseSetCookies(response).flatMap(([name, value]) =>
    sent.has(name) && sent.get(name) !== value ? [name] : []
  );
}

export type StepPath = readonly (string | number)[];

/**
 * Adds pauses before requests of a plan. `ms` is in milliseconds. The `index` of a pause counts the
 * requests of all scenarios from 0.
 */
export function insertPauses(
  plan: Plan,
  pauses: readonly { readonly index: number; readonly ms: number }[],
): Plan {
  const numbers = numberRequests(plan);
  const lengths = new Map(pauses.map(({ index, ms }) => [index, ms]));
  return mapPlanSteps(plan, (step) => {
    const ms = lengths.get(numbers.get(step.request!) ?? -1);
    return ms === undefined ? step : [pauseStep(ms), step];
  });
}

/**
 * Returns the path of the pause before the request with this index, or undefined if no pause
 * precedes it. The index counts the requests of all scenarios from 0.
 */
export function findPause(plan: Plan, index: number): StepPath | undefined {
  const numbers = numberRequests(plan);
  const search = (value: unknown, path: StepPath): StepPath | undefined => {
    if (!isMap(value) && !Array.isArray(value)) return undefined;
    for (const [key, member] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (isMap(member) && numbers.get((member as Step).request!) === index) {
        const before = Array.isArray(value) ? value[Number(key) - 1] as Step : undefined;
        return before?.think_time === undefined ? undefined : [...path, Number(key) - 1];
      }
      const inner = search(member, [...path, step]);
      if (inner !== undefined) return inner;
    }
    return undefined;
  };
  return search(plan.scenarios, ["scenarios"]);
}

function numberRequests({ scenarios }: Plan): Map<Request, number> {
  const requests = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  return new Map(requests.map((request, index) => [request, index]));
}

function pauseStep(ms: number): Step {
  const duration = ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
  return { think_time: { type: "constant", duration } };
}
