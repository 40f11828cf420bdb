import { isMap } from "../../base/exact_number.ts";
import type { CheckContext } from "./check_context.ts";

/** Headers that the client adds, in lower case. A request with a body also has a `Content-Type`. */
const OF_CLIENT = ["user-agent", "accept-encoding", "content-type"];

/**
 * Warns about a null header of a request if neither the client nor `defaults.http.headers` adds
 * that header. Null removes an inherited header, so it has no effect on a header that is not
 * inherited. The value was probably forgotten, because an empty value in YAML is null.
 */
export function checkRequestHeaders(context: CheckContext, headers: object): void {
  const inherited = () => [...OF_CLIENT, ...defaultHeaders(context.plan)];
  reportNulls(context, headers, inherited, "`defaults.http.headers` does not contain this header");
}

/** Warns about a null default header if the client does not add that header itself. */
export function checkDefaultHeaders(context: CheckContext, headers: object): void {
  reportNulls(context, headers, () => OF_CLIENT, "the client does not add this header");
}

function reportNulls(
  context: CheckContext,
  headers: object,
  inherited: () => readonly string[],
  reason: string,
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== null || inherited().includes(name.toLowerCase())) continue;
    const message = `null removes the header ${JSON.stringify(name)}, but ${reason}`;
    const hint = 'remove the line, or write the value ("" if it is empty)';
    context.report("no-effect", message, { below: [name], hint, severity: "warning" });
  }
}

function defaultHeaders(plan: unknown): string[] {
  const at = (value: unknown, key: string) =>
    isMap(value) ? (value as Record<string, unknown>)[key] : undefined;
  const headers = at(at(at(plan, "defaults"), "http"), "headers");
  return isMap(headers) ? Object.keys(headers).map((name) => name.toLowerCase()) : [];
}
