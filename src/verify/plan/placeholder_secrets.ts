import type { Plan } from "../../plan/schema/plan.ts";

/**
 * Placeholder for every secret during verification, so that verification neither needs nor prints
 * real secrets.
 */
export const SECRET = "rehearse-secret";

/** Returns a plan that reads its secrets from environment variables instead of files. */
export function withoutSecretFiles(plan: Plan): Plan {
  if (plan.secrets === undefined) return plan;
  const names = Object.keys(plan.secrets);
  return { ...plan, secrets: Object.fromEntries(names.map((name) => [name, { env: name }])) };
}

/**
 * Returns a function that reads environment variables. For the names of the plan's secrets, it
 * returns the placeholder. For all other names, it calls `readEnv`.
 */
export function withSecrets(
  plan: Plan,
  readEnv: (name: string) => string | undefined,
): (name: string) => string | undefined {
  const names = new Set(Object.keys(plan.secrets ?? {}));
  return (name) => names.has(name) ? SECRET : readEnv(name);
}
