import type { Plan } from "../plan/schema/plan.ts";

/** What stands for every secret while a plan is verified: none is needed, none can be shown. */
export const SECRET = "rehearse-secret";

/** The plan with nothing in its secrets that would have to be read from a file. */
export function withoutSecretFiles(plan: Plan): Plan {
  if (plan.secrets === undefined) return plan;
  const names = Object.keys(plan.secrets);
  return { ...plan, secrets: Object.fromEntries(names.map((name) => [name, { env: name }])) };
}

/** An environment in which the plan's secrets are set. */
export function withSecrets(
  plan: Plan,
  readEnv: (name: string) => string | undefined,
): (name: string) => string | undefined {
  const names = new Set(Object.keys(plan.secrets ?? {}));
  return (name) => names.has(name) ? SECRET : readEnv(name);
}
