import type { Plan } from "../../plan/schema/plan.ts";

/** Takes secrets out of text. */
export type Redactor = (text: string) => string;

/** What stands for a secret. */
const HIDDEN = "********";

/**
 * Hides the plan's secrets in text that is about to be shown, also as a URL, a form, JSON or base64
 * write them. A secret that cannot be read is left out: nothing can show it.
 */
export function redactor(
  plan: Plan,
  readFile: (path: string) => Uint8Array,
  readEnv: (name: string) => string | undefined,
): Redactor {
  const values = Object.values(plan.secrets ?? {}).map((secret) =>
    "env" in secret ? readEnv(secret.env) : readText(secret.file, readFile)
  );
  const forms = new Set(values.flatMap((value) => value ? formsOf(value) : []));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((all, form) => all.replaceAll(form, HIDDEN), text);
}

function formsOf(secret: string): string[] {
  const trimmed = secret.trim();
  if (trimmed === "") return [];
  return [secret, trimmed].flatMap((value) => [
    value,
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ "": value }).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    new TextEncoder().encode(value).toBase64(),
  ]);
}

function readText(path: string, readFile: (path: string) => Uint8Array): string | undefined {
  try {
    return new TextDecoder().decode(readFile(path));
  } catch {
    return undefined;
  }
}
