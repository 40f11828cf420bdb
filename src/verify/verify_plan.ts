import { InputError } from "../base/errors.ts";
import type { Draft } from "../convert/correlate/draft.ts";
import { run } from "../engine/run.ts";
import type { Summary } from "../engine/summary.ts";
import { oneIteration } from "../plan/one_iteration.ts";
import { override } from "../plan/override.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { type Journey, journeyOf } from "./journey.ts";
import { JumpClock } from "./jump_clock.ts";
import { withoutSecretFiles, withSecrets } from "./secrets.ts";
import { type Observer, standInSender } from "./stand_in_sender.ts";
import { StandIn } from "./stand_in.ts";
import { Tally } from "./tally.ts";
import type { Difference, PlanFault, StaleValue, Verification } from "./verification.ts";

/** How a plan is verified. */
export interface VerifyOptions {
  /** VUs of each scenario, and iterations of each of them. */
  readonly users: number;
  readonly iterations: number;
  /** The same seed makes the same values (1). */
  readonly seed?: number;
  /** Reads a file of the plan. Throws InputError. */
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
}

/** In the plan's own time, which passes at once. */
const LONGEST = "24h";

/**
 * Plays each scenario's flow, with the engine that `run` uses, against a stand-in for the recorded
 * server, and compares what it sends with the recording. Nothing leaves the process. Throws InputError
 * when the plan cannot be played or the recording holds no call; `source` is what the user calls it.
 */
export async function verifyPlan(
  plan: Plan,
  recording: Recording,
  options: VerifyOptions,
  source = "the HAR",
): Promise<Verification> {
  const journey = journeyOf(recording);
  if (journey === undefined) {
    throw new InputError(
      "cannot verify against the HAR: it holds no call that a plan could send",
      { source },
    );
  }
  const { users: vus, iterations, seed = 1 } = options;
  const record = new Record(journey);
  const clock = new JumpClock();
  const sender = standInSender(new StandIn(journey, seed), clock, record.observe);
  const playable = override(oneIteration(withoutSecretFiles(plan)), {
    ...(plan.defaults?.http?.base_url === undefined && { baseUrl: journey.origin }),
    vus,
    iterations,
    duration: LONGEST,
  });
  const summary = await run(playable, {
    sender,
    clock,
    seed,
    readFile: options.readFile,
    readEnv: withSecrets(plan, options.readEnv),
  });
  clock.close();
  return record.verification(summary, options);
}

/** What was seen while the plan was played. */
class Record {
  readonly #journey: Journey;
  readonly #made = new Map<Draft, number>();
  readonly #stale = new Tally<StaleValue>();
  readonly #differing = new Tally<Difference>();
  readonly #unknown = new Tally<{ method: string; url: string }>();
  #sent = 0;
  #matched = 0;

  constructor(journey: Journey) {
    this.#journey = journey;
  }

  readonly observe: Observer = ({ method, url }, { call, judgement, beyond }) => {
    if (beyond) return;
    this.#sent++;
    if (call === undefined) return this.#unknown.add({ method, url });
    this.#made.set(call, (this.#made.get(call) ?? 0) + 1);
    for (const stale of judgement.stale) this.#stale.add(stale);
    for (const difference of judgement.differing) this.#differing.add(difference);
    if (judgement.stale.length + judgement.differing.length === 0) this.#matched++;
  };

  verification(summary: Summary, { users, iterations }: VerifyOptions): Verification {
    const { calls } = this.#journey;
    const due = users * iterations;
    const stale = this.#stale.list();
    const nothingFound = faults(summary, "extract");
    const unsent = faults(summary, "template");
    return {
      proven: [stale, nothingFound, unsent].every(({ length }) => length === 0) &&
        this.#matched > 0,
      users,
      iterations,
      recorded: calls.length,
      sent: this.#sent,
      matched: this.#matched,
      share: this.#matched / Math.max(this.#sent, calls.length * due),
      stale,
      differing: this.#differing.list(),
      neverMade: calls.map((call) => ({
        call: this.#journey.nameOf(call),
        count: due - (this.#made.get(call) ?? 0),
      })).filter(({ count }) => count > 0),
      unknown: this.#unknown.list(),
      nothingFound,
      unsent,
    };
  }
}

function faults(
  { errors }: Summary,
  kind: "extract" | "template",
): (PlanFault & { count: number })[] {
  return errors.filter((error) => error.kind === kind)
    .map(({ name, message, count }) => ({ request: name, message, count }));
}
