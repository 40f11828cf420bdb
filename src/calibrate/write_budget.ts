import type { Outgoing } from "../http/sender.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestMethod } from "../plan/kinds/names.ts";
import { isSafeMethod } from "../traffic/session/recorded_call.ts";
import { isGraphqlQuery } from "../verify/recorded/changes_data.ts";

/** Limits the number of requests that may change data on the target. */
export class WriteBudget {
  readonly limit: number;
  #sent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Number of writes that were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Number of writes that may still be sent. */
  get left(): number {
    return this.limit - this.#sent;
  }

  /**
   * Counts a request. Returns false if the request must not be sent, because it would exceed the
   * limit.
   */
  allows({ method, body }: Pick<Outgoing, "method" | "body">): boolean {
    if (isSafeMethod(method)) return true;
    if (body !== undefined && isGraphqlQuery(new TextDecoder().decode(body))) return true;
    if (this.#sent >= this.limit) return false;
    this.#sent++;
    return true;
  }
}

/**
 * Reports whether a request of a plan may change data: it is neither a read nor a GraphQL query.
 */
export function isWriteRequest(request: Request): boolean {
  return !isSafeMethod(requestMethod(request)) && !hasGraphqlQuery(request.body);
}

/** Cache of `hasGraphqlQuery`, because a calibration judges each request many times. */
const known = new WeakMap<object, boolean>();

function hasGraphqlQuery(body: Request["body"]): boolean {
  if (typeof body === "string") return isGraphqlQuery(body);
  if (body?.json === undefined) return false;
  let isQuery = known.get(body);
  if (isQuery === undefined) known.set(body, isQuery = isGraphqlQuery(JSON.stringify(body.json)));
  return isQuery;
}
