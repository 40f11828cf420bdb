import * as z from "zod";
import { type CheckContext, inSection } from "../rules/check_context.ts";
import { withRule } from "./schema_walk.ts";
import { exactNumberSchema, templateSchema } from "./values.ts";

const headerMap = z.record(
  z.string(),
  z.union([templateSchema, exactNumberSchema, z.boolean(), z.null()]),
);

/** The schema of the headers that every request sends, keyed by name. */
export const defaultHeaders = withRule(
  headerMap.meta({
    description: "Headers of every request; null removes a header that the client adds",
    examples: [{ Accept: "application/json" }],
  }),
  { check: checkDefaultHeaders },
);

/** The schema of request headers, keyed by name. */
export const requestHeaders = withRule(
  headerMap.meta({
    description: "Headers, in addition to `defaults.http.headers`; null removes a header",
    examples: [{ "X-CSRF-Token": "${csrf}" }],
  }),
  { check: checkRequestHeaders },
);

/** Headers that the client adds, in lower case. A request with a body also has a `Content-Type`. */
const OF_CLIENT = ["user-agent", "accept-encoding", "content-type"];

/** Headers that only the client writes, in lower case, each with what to do instead. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  [
    "connection",
    "remove the line; to close each connection, set `keep_alive: false` in `defaults.http`",
  ],
  ["content-length", "remove the line; the client sends the length of the body"],
  ["transfer-encoding", "remove the line; the client sends the length of the body"],
]);

/**
 * Reports headers of a request that only the client writes. Also warns about a null header if
 * neither the client nor `defaults.http.headers` adds that header. Null removes an inherited
 * header, so it has no effect on a header that is not inherited. The value was probably forgotten,
 * because an empty value in YAML is null.
 */
function checkRequestHeaders(context: CheckContext, headers: object): void {
  const inherited = () => [...OF_CLIENT, ...headersOfPlan(context.plan)];
  checkHeaders(context, headers, inherited, "`defaults.http.headers` does not contain this header");
}

/**
 * Reports default headers that only the client writes. Also warns about a null default header if
 * the client does not add that header itself.
 */
function checkDefaultHeaders(context: CheckContext, headers: object): void {
  checkHeaders(context, headers, () => OF_CLIENT, "the client does not add this header");
}

function checkHeaders(
  context: CheckContext,
  headers: object,
  inherited: () => readonly string[],
  reason: string,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const hint = FRAMING.get(name.toLowerCase());
    if (value !== null && hint !== undefined) {
      const message = `the client writes the header ${JSON.stringify(name)} itself`;
      context.report("reserved-name", message, { below: [name], hint });
    }
    if (value !== null || inherited().includes(name.toLowerCase())) continue;
    const message = `null removes the header ${JSON.stringify(name)}, but ${reason}`;
    context.report("no-effect", message, {
      below: [name],
      hint: 'remove the line, or write the value ("" if it is empty)',
      severity: "warning",
    });
  }
}

function headersOfPlan(plan: unknown): string[] {
  const headers = inSection(inSection(inSection(plan, "defaults"), "http"), "headers");
  return Object.keys(headers).map((name) => name.toLowerCase());
}
