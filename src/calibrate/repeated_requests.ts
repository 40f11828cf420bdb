import type { FlowCondition } from "../plan/kinds/conditions.ts";
import { conditionName, type Request } from "../plan/kinds/request.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";

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
