/** Takes secrets out of text. */
export type Redactor = (text: string) => string;

/** What stands for a secret. */
const HIDDEN = "********";

/** Hides secrets in text, also as a URL, a form, JSON or base64 write them. */
export function hiding(secrets: Iterable<string>): Redactor {
  const forms = new Set([...secrets].flatMap(formsOf));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((all, form) => all.replaceAll(form, HIDDEN), text);
}

function formsOf(secret: string): string[] {
  const trimmed = secret.trim();
  if (trimmed === "") return [];
  return [secret, trimmed].map((value) => value.toWellFormed()).flatMap((value) => [
    value,
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ "": value }).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    new TextEncoder().encode(value).toBase64(),
  ]);
}
