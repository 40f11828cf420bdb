import type { ComparedResponse } from "../comparison/compared_response.ts";
import type { FlowCondition } from "../plan/kinds/conditions.ts";
import { allFlows, listRequests, listSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import { conditionName, type Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";

/** A point in a plan: the number of a request, or an `expect` step of the given plan. */
export type PlanPoint = number | Step;

/** A step that sends or extracts text: a request, or a step of a WebSocket. */
export interface TextStep {
  readonly step: Step;
  readonly scenario: string;
  /** Number of the request. Undefined for a step of a WebSocket. */
  readonly index: number | undefined;
  /** The request, or what `requestForm` returns for a step of a WebSocket. */
  readonly request: Request;
}

/**
 * A plan as it was given. Its requests are numbered from 0, in plan order. A position counts the
 * steps of WebSockets too. Each virtual user has its own variables and runs one scenario, so that
 * only calls of the same scenario are earlier or later than a call.
 */
export class GivenPlan {
  readonly plan: Plan;
  readonly steps: readonly TextStep[];
  /** Names that the plan defines in other ways than by extractors of the numbered requests. */
  readonly names: ReadonlySet<string>;
  /** Positions of the requests, by number. */
  readonly positions: readonly number[];
  readonly #positionOf: ReadonlyMap<Step, number>;
  readonly #indexes: ReadonlyMap<Request, number>;
  readonly #repeated: ReadonlyMap<Request, RepeatedRequest>;

  constructor(plan: Plan) {
    this.plan = plan;
    let count = 0;
    this.steps = Object.entries(plan.scenarios).flatMap(([scenario, { flow }]) =>
      [...listSteps(flow)].flatMap((step) => {
        const request = requestForm(step);
        const index = step.request === undefined ? undefined : count++;
        return request === undefined ? [] : [{ step, scenario, index, request }];
      })
    );
    this.names = definedNames(plan);
    this.positions = this.steps.flatMap(({ index }, at) => index === undefined ? [] : [at]);
    this.#positionOf = new Map(this.steps.map(({ step }, at) => [step, at]));
    this.#indexes = new Map(this.positions.map((at, i) => [this.steps[at].request, i]));
    this.#repeated = new Map(
      Object.values(plan.scenarios).flatMap(({ flow }) => [...findRepeatedRequests(flow)]),
    );
  }

  at(index: number): Request {
    return this.steps[this.positions[index]].request;
  }

  indexOf(request: Request): number | undefined {
    return this.#indexes.get(request);
  }

  /** Returns the one-based index of the recorded entry that a request replays, if any. */
  entryOf(index: number): number | undefined {
    return recordedEntry(this.at(index));
  }

  repeatedAt(index: number): RepeatedRequest | undefined {
    return this.#repeated.get(this.at(index));
  }

  scenarioAt(index: number): string {
    return this.steps[this.positions[index]].scenario;
  }

  /**
   * Returns the request numbers of each scenario that replays a recording, keyed by the name of the
   * scenario. In such a scenario, at least one request replays a recorded entry.
   */
  replayed(): Map<string, number[]> {
    const scenarios = Map.groupBy(this.positions.keys(), (index) => this.scenarioAt(index));
    return new Map(
      [...scenarios].filter(([, own]) => own.some((index) => this.entryOf(index) !== undefined)),
    );
  }

  areTogether(index: number, other: number): boolean {
    return this.scenarioAt(index) === this.scenarioAt(other);
  }

  earlier(index: number): number[] {
    return [...this.positions.keys()].filter((i) => i < index && this.areTogether(i, index));
  }

  later(index: number): number[] {
    return [...this.positions.keys()].filter((i) => i > index && this.areTogether(i, index));
  }

  /** Returns the position of a request or a step. Undefined for a step without text. */
  positionOf(point: PlanPoint): number | undefined {
    return typeof point === "number" ? this.positions[point] : this.#positionOf.get(point);
  }

  /** Returns the number of the request at or before a point in its scenario, if any. */
  requestAt(point: PlanPoint): number | undefined {
    const to = this.positionOf(point)!;
    const { scenario } = this.steps[to];
    return this.steps.slice(0, to + 1)
      .findLast((step) => step.index !== undefined && step.scenario === scenario)?.index;
  }
}

/**
 * Returns the request of a step. For a step of a WebSocket, returns a request with the strings that
 * it sends, or the extractors that it applies, so that they are edited in the same way. Returns
 * undefined for other steps.
 */
function requestForm({ request, websocket, send, expect }: Step): Request | undefined {
  if (request !== undefined) return request;
  if (websocket !== undefined) {
    const { url, headers } = websocket;
    return { url, ...(headers && { headers }) };
  }
  if (expect !== undefined) return { url: "/", extract: expect.extract };
  if (send === undefined) return undefined;
  if (typeof send === "string") return { url: "/", body: send };
  if (send.text !== undefined) return { url: "/", body: send.text };
  return send.json === undefined ? undefined : { url: "/", body: { json: send.json } };
}

/** Returns a step of a WebSocket with the texts of its edited `requestForm`. */
export function withRequestForm(step: Step, { url, headers, body, extract }: Request): Step {
  if (step.websocket !== undefined) {
    return { websocket: { ...step.websocket, url, ...(headers && { headers }) } } as Step;
  }
  if (step.expect !== undefined) {
    return { expect: { ...step.expect, ...(extract && { extract }) } } as Step;
  }
  if (typeof step.send === "string") return { send: body as string };
  if (step.send?.text !== undefined) return { send: { ...step.send, text: body as string } };
  const { json } = body as { readonly json?: unknown };
  return { send: { ...step.send, json } } as Step;
}

function definedNames(plan: Plan): Set<string> {
  const steps = allFlows(plan).flatMap((flow) => [...listSteps(flow)]);
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  return new Set([
    ...Object.keys(plan.variables ?? {}),
    ...Object.keys(plan.data ?? {}),
    ...[...listRequests(around)].flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
    ...steps.flatMap(({ expect, set, foreach }) => [
      ...(expect?.extract ?? []).map(({ name }) => name),
      ...Object.keys(set ?? {}),
      ...(foreach === undefined ? [] : [foreach.as]),
    ]),
  ]);
}

/** A request that a `retry` step of the plan repeats until a response meets a condition. */
export interface RepeatedRequest {
  readonly attempts: number;
  /** Name of the condition for reports, such as `jsonpath expression $.status equals done`. */
  readonly condition: string;
  isEnd(response: Pick<ComparedResponse, "status" | "text">): boolean;
}

/**
 * Finds the requests that a flow repeats. Each is the only request in a `retry` step, and the
 * condition of this step tests the status code, a JSON member or the text of the response. Omits
 * `retry` steps with other conditions, such as those that contain variables.
 */
export function findRepeatedRequests(flow: readonly Step[]): Map<Request, RepeatedRequest> {
  const repeated = new Map<Request, RepeatedRequest>();
  for (const { retry } of listSteps(flow)) {
    if (retry === undefined) continue;
    const [request, ...others] = [...listSteps(retry.steps)].flatMap(({ request }) =>
      request ?? []
    );
    const test = endTest(retry.until);
    if (request === undefined || others.length > 0 || test === undefined) continue;
    repeated.set(request, { attempts: retry.attempts, ...test });
  }
  return repeated;
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
