import type { CallResult, Verification } from "../../src/verify/verify_plan.ts";
import { rehearse } from "./tool.ts";

/** Results of `verify` for a plan. */
export interface Forecast {
  readonly verdict: Verification["verdict"];
  /** Verdicts on the calls, by the index of their entry in the recording, from 0. */
  readonly calls: Readonly<Record<number, CallResult>>;
}

/**
 * Runs `verify` on a plan with the number of users and iterations of the live run, and returns its
 * results.
 */
export async function forecast(
  plan: string,
  har: string,
  load: { readonly users: number; readonly iterations: number },
): Promise<Forecast> {
  const options = ["--vus", String(load.users), "--iterations", String(load.iterations)];
  const args = ["verify", plan, "--har", har, "--format", "json", ...options];
  const { output, errors } = await rehearse(args);
  if (output === "") throw new Error(`verify failed: ${errors}`);
  const { verdict, calls }: Verification = JSON.parse(output);
  return {
    verdict,
    calls: Object.fromEntries(calls.map(({ entry, verdict }) => [entry - 1, verdict])),
  };
}
