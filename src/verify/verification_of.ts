import type { ErrorKind } from "../engine/sender.ts";
import type { Summary } from "../engine/summary.ts";
import type { Journey } from "./journey.ts";
import type { Observations } from "./observations.ts";
import type { Counted, PlanFault, Verification } from "./verification.ts";

/** What the stand-in saw and the engine told, as one verdict. */
export function verificationOf(
  { calls, nameOf }: Journey,
  { sent, matched, made, ...seen }: Observations,
  summary: Summary,
  { users, iterations }: { readonly users: number; readonly iterations: number },
): Verification {
  const due = users * iterations;
  const stale = seen.stale.list();
  const nothingFound = faults(summary, ["extract"]);
  const unsent = faults(summary, ["template", "protocol"]);
  return {
    proven: matched > 0 && [stale, nothingFound, unsent].every(({ length }) => length === 0),
    users,
    iterations,
    recorded: calls.length,
    sent,
    matched,
    share: matched / Math.max(sent, calls.length * due),
    stale,
    differing: seen.differing.list(),
    neverMade: calls.map((call) => ({ call: nameOf(call), count: due - (made.get(call) ?? 0) }))
      .filter(({ count }) => count > 0),
    unknown: seen.unknown.list(),
    nothingFound,
    unsent,
  };
}

function faults({ errors }: Summary, kinds: readonly ErrorKind[]): Counted<PlanFault>[] {
  return errors.filter(({ kind }) => kinds.includes(kind))
    .map(({ name, message, count }) => ({ request: name, message, count }));
}
