import { CookieJar } from "../http/cookies.ts";
import type { Origin } from "../http/sender.ts";
import { targetOf } from "../http/url.ts";
import type { FlowCondition } from "../plan/kinds/conditions.ts";
import { listRequests, listSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import { conditionName, type Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { cookiesOf, listSetCookies, parseSetCookies } from "../traffic/session/headers.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";
import { usesVariable } from "./literal_edit.ts";

/**
 * A request that the changed plan sends before the request `before`, because the browser did not
 * wait for the response to `before`.
 */
export interface MovedRequest {
  /** Zero-based index of the request in the changed plan. */
  readonly index: number;
  /** Zero-based index, in the changed plan, of the request before which it was moved. */
  readonly before: number;
  /**
   * Milliseconds in the recording from the start of the request `before` to the start of the moved
   * one.
   */
  readonly ms: number;
}

/**
 * A request to move, and the request before which to send it. Both are identified by the one-based
 * indexes of their entries in the recording.
 */
interface Move {
  readonly entry: number;
  readonly before: number;
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
  const entries = Object.values(changed.scenarios)
    .flatMap(({ flow }) => [...listRequests(flow)]).map((request) => recordedEntry(request));
  const moved = moves.map(({ entry, before, ms }) => (
    { index: entries.indexOf(entry), before: entries.indexOf(before), ms }
  ));
  return { plan: changed, moved };
}

function exchangeOf(
  { request }: Step,
  byEntry: ReadonlyMap<number, Exchange>,
): Exchange | undefined {
  return request && byEntry.get(recordedEntry(request) ?? 0);
}

/** Returns the steps in their new order, and appends the moves to `moves`. */
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
    const before = to < steps.length ? exchangeOf(steps[to]) : undefined;
    if (own !== undefined && before !== undefined) {
      const ms = own.startedAt - before.startedAt;
      moves.push({ entry: own.index + 1, before: before.index + 1, ms });
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
const LIFETIME = /;\s*(?:expires|max-age)=[^;]*/gi;

interface ExchangeCookies {
  readonly origin: Origin;
  readonly target: string;
  /** Values of the cookies in the request, by name. */
  readonly sent: ReadonlyMap<string, string>;
  /** Names of the cookies that the request sent and that the response changed. */
  readonly changed: readonly string[];
  /**
   * Jar with the changed cookies. Ignores their expiry, so that it also contains the deleted ones.
   */
  readonly jar: CookieJar;
}

/** Compares the cookies of recorded exchanges. Parses the cookies of each exchange once. */
class CookieChanges {
  readonly #known = new Map<Exchange, ExchangeCookies>();
  /** Names of the cookies that many responses renew, so that a server accepts old values. */
  readonly #renewed: ReadonlySet<string>;

  constructor(exchanges: readonly Exchange[]) {
    const all = exchanges.map((exchange) => this.#cookiesOf(exchange));
    const sent = Map.groupBy(all.flatMap(({ sent }) => [...sent.keys()]), (name) => name);
    const changed = Map.groupBy(all.flatMap(({ changed }) => changed), (name) => name);
    this.#renewed = new Set(
      [...changed].filter(([name, { length }]) =>
        length >= FEWEST_RENEWALS && length * 4 > sent.get(name)!.length
      ).map(([name]) => name),
    );
  }

  /**
   * Reports whether the response to `earlier` changes a cookie that applies to the request of
   * `later`, although this request still sends the value that `earlier` sent.
   */
  keepsOld(later: Exchange, earlier: Exchange): boolean {
    const { sent, changed, jar } = this.#cookiesOf(earlier);
    if (changed.length === 0) return false;
    const own = this.#cookiesOf(later);
    return changed.some((name) =>
      !this.#renewed.has(name) && own.sent.get(name) === sent.get(name) &&
      jar.get(name, own.origin, own.target) !== undefined
    );
  }

  #cookiesOf(exchange: Exchange): ExchangeCookies {
    let cookies = this.#known.get(exchange);
    if (cookies === undefined) this.#known.set(exchange, cookies = readCookies(exchange));
    return cookies;
  }
}

function readCookies({ request, response }: Exchange): ExchangeCookies {
  const url = new URL(request.url);
  const { protocol, host, hostname, port } = url;
  const secure = protocol === "https:" || protocol === "wss:";
  const origin = { secure, host: hostname, port: Number(port), authority: host };
  const target = targetOf(url);
  const sent = new Map(cookiesOf(request));
  const jar = new CookieJar();
  const lines = listSetCookies(response);
  const changed = parseSetCookies(response).flatMap(([name, value], i) => {
    if (!sent.has(name) || sent.get(name) === value) return [];
    jar.store(origin, target, lines[i].replace(LIFETIME, ""));
    return [name];
  });
  return { origin, target, sent, changed, jar };
}

/** Parts of a response that the condition of a `retry` step tests. */
export interface TestedResponse {
  readonly status: number;
  /** Body, or undefined if it is not text. */
  readonly text?: string | undefined;
}

/** A request that a `retry` step of the plan repeats until a response meets a condition. */
export interface RepeatedRequest {
  /** Maximum number of times that the plan sends the request. */
  readonly attempts: number;
  /** Name of the condition for reports, such as `jsonpath expression $.status equals done`. */
  readonly condition: string;
  isEnd(response: TestedResponse): boolean;
}

/**
 * Finds the requests that a flow repeats. Each is the only request in a `retry` step, and the
 * condition of this step tests the status code, a JSON member or the text of the response. Omits
 * `retry` steps with other conditions, such as those that contain variables.
 */
export function findRepeatedRequests(flow: readonly Step[]): Map<Request, RepeatedRequest> {
  const found = new Map<Request, RepeatedRequest>();
  for (const { retry } of listSteps(flow)) {
    if (retry === undefined) continue;
    const [request, ...others] = [...listSteps(retry.steps)].flatMap(({ request }) =>
      request ?? []
    );
    const test = endTest(retry.until);
    if (request === undefined || others.length > 0 || test === undefined) continue;
    found.set(request, { attempts: retry.attempts, ...test });
  }
  return found;
}

function endTest(until: FlowCondition): Omit<RepeatedRequest, "attempts"> | undefined {
  if (typeof until === "string" || !("type" in until)) return undefined;
  const condition = conditionName(until);
  if (until.type === "status") {
    const { equals, one_of, matches } = until;
    const pattern = matches === undefined ? undefined : new RegExp(matches);
    return {
      condition,
      isEnd: ({ status }) =>
        (equals === undefined || equals === status) && (one_of?.includes(status) ?? true) &&
        (pattern?.test(String(status)) ?? true),
    };
  }
  const test = eventTest(until);
  return test && { condition, isEnd: ({ text }) => text !== undefined && test(text) };
}
