import { READS_BODY, READS_HEADERS } from "../../extract/response_view.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { assignedIndex, type Scope, variableIndex } from "../flow/scope.ts";
import type { RequestSupervisor, SupervisedVu } from "../flow/request_observer.ts";
import type { Op } from "../vu/op.ts";
import type { Vu } from "../vu/vu.ts";

/**
 * Returns a step that sends the request returned by the supervisor, and repeats this as long as the
 * supervisor requires it. Compiles the request each time, because the supervisor may amend it.
 * Keeps all parts of the responses, because the supervisor reads them.
 */
export function superviseRequest(
  request: Request,
  scope: Scope,
  supervisor: RequestSupervisor,
  compile: (request: Request, scope: Scope) => Op,
): Op {
  const observed: Scope = {
    ...scope,
    thinkTime: undefined,
    throttle: undefined,
    reads: { headers: READS_HEADERS.headers, body: READS_BODY.body },
  };
  for (const { name } of request.extract ?? []) assignedIndex(scope, name);
  return async (vu) => {
    const seen = supervisedVu(vu, scope);
    do {
      const amended = await supervisor.before(request, seen);
      const send = compile(amended, observed);
      await send(vu, vu.clock.now());
    } while (await supervisor.after(request, seen));
  };
}

function supervisedVu(vu: Vu, scope: Scope): SupervisedVu {
  return {
    id: vu.id,
    iteration: vu.iteration,
    unique: vu.unique,
    received: vu.received,
    get: (variable) => vu.variables[variableIndex(scope, variable)],
    set(variable, value): void {
      vu.variables[variableIndex(scope, variable)] = value;
    },
  };
}
