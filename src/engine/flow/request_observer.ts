import type { ResponseView } from "../../extract/response_view.ts";
import type { HttpResponse, HttpSession } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions/conditions.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";

/** Response that a check or an assertion tests. */
export type TestedResponse = ResponseView & {
  readonly response: HttpResponse;
  readonly durationMs: number;
};

/**
 * Observes the requests of a run without changing them. `run --once` uses it to print the run. The
 * requests that are sent in one session never overlap.
 */
export interface RequestObserver {
  /** Called before a step of the plan builds and sends `request` in `session`. */
  start(request: Request, session: HttpSession): void;
  /** Called after `start` if the request could not be built. `reason` is the error message. */
  unsent(request: Request, session: HttpSession, reason: string): void;
  /**
   * Called for each check or assertion that is false for the response to the last request in
   * `session`.
   */
  failed(condition: Condition | Assertion, session: HttpSession, response: TestedResponse): void;
}
