import type { Plan } from "../../plan/schema/plan.ts";

/** Placeholder for every secret during verification, so that secrets are neither needed nor printed. */
export const SECRET = "rehearse-secret";

/** Returns the plan without secrets from files. */
export function withoutSecretFiles(plan: Plan): Plan {
  if (plan.secrets === undefined) return plan;
  const names = Object.keys(plan.secrets);
  return { ...plan, secrets: Object.fromEntries(names.map((name) => [name, { env: name }])) };
}

/** Returns an environment in which the plan's secrets are set to the placeholder. */
export function withSecrets(
  plan: Plan,
  readEnv: (name: string) => string | undefined,
): (name: string) => string | undefined {
  const names = new Set(Object.keys(plan.secrets ?? {}));
  return (name) => names.has(name) ? SECRET : readEnv(name);
}
