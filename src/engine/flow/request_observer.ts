import type { ResponseView } from "../../extract/response_view.ts";
import type { HttpResponse, HttpSession } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import type { Request } from "../../plan/kinds/request.ts";

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

/** State of a VU that a supervisor can read and change before and after a request. */
export interface SupervisedVu {
  /** One-based number of the VU. */
  readonly id: number;
  /** Zero-based number of the iteration. */
  readonly iteration: number;
  /** Value of `${unique}` in this iteration. */
  readonly unique: string;
  /** Last response that the VU received. */
  readonly received: ResponseView & { readonly response: HttpResponse };
  /** Returns the value of a flow variable, or undefined if it is not set. */
  get(variable: string): unknown;
  /** Sets a flow variable. */
  set(variable: string, value: unknown): void;
}

/**
 * Observes and amends the requests of a run. `calibrate` uses it to repair a plan while the plan
 * runs. The requests of a VU never overlap, unless its plan has `parallel` steps.
 */
export interface RequestSupervisor {
  /**
   * Called before a step of the plan sends `request`. Returns the request to send instead, which
   * can be `request` itself. May wait, for example for another VU.
   */
  before(request: Request, vu: SupervisedVu): Promise<Request>;
  /**
   * Called after the response to `request` has arrived, or if the request could not be built.
   * Returns true if the request must be sent again. In that case, `before` is called again.
   */
  after(request: Request, vu: SupervisedVu): Promise<boolean>;
}
