import { hiding, type Redactor } from "../../base/redactor.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { urlPasswords } from "../../plan/targets.ts";

/**
 * Creates a function that hides the plan's secrets and the passwords in its URLs. It also
 * recognizes secrets that are encoded for a URL, a form, JSON or base64. It skips a secret that
 * cannot be read, because the run cannot print that secret either.
 */
export function redactor(
  plan: Plan,
  readFile: (path: string) => Uint8Array,
  readEnv: (name: string) => string | undefined,
): Redactor {
  const values = Object.values(plan.secrets ?? {}).map((secret) =>
    "env" in secret ? readEnv(secret.env) : readText(secret.file, readFile)
  );
  return hiding([...urlPasswords(plan), ...values.filter((value) => value !== undefined)]);
}

function readText(path: string, readFile: (path: string) => Uint8Array): string | undefined {
  try {
    return new TextDecoder().decode(readFile(path));
  } catch {
    return undefined;
  }
}
