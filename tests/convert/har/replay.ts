import { type JSONValue, query } from "json-p3";
import type { Body } from "../../../src/plan/kinds/bodies.ts";
import type { Extractor } from "../../../src/plan/kinds/extractors.ts";
import type { HttpDefaults } from "../../../src/plan/values/http.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { type Expression, uuidName } from "../../../src/plan/expressions/expression.ts";
import { parseTemplate } from "../../../src/plan/text/template.ts";

/** Values of variables, keyed by name, during a run that receives the recorded responses. */
export type Variables = Map<string, unknown>;

/** A request with evaluated templates. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/**
 * Evaluates the templates of a request with a simple, slow implementation. `http` contains the HTTP
 * defaults of the plan.
 */
export function send(request: Request, http: HttpDefaults, variables: Variables): Sent {
  const text = (template: string) => evaluate(template, variables);
  const url = text(request.url);
  const own = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  const inherited = Object.entries(http.headers ?? {})
    .filter(([name]) => !own.includes(name.toLowerCase()));
  const headers = [...inherited, ...Object.entries(request.headers ?? {})];
  return {
    method: request.method!,
    url: url.startsWith("/") ? http.base_url + url : url,
    headers: Object.fromEntries(
      headers.filter(([, value]) => value !== null)
        .map(([name, value]) => [name, text(String(value))]),
    ),
    body: request.body === undefined ? undefined : sentBody(request.body, variables),
  };
}

/** Applies extractors to a response and stores the extracted values in `variables`. */
export function extract(
  extractors: readonly Extractor[],
  response: unknown,
  variables: Variables,
): void {
  for (const extractor of extractors) {
    if (extractor.type !== "jsonpath") throw new Error(`not expected here: ${extractor.type}`);
    const [found] = query(extractor.expression, response as JSONValue).values();
    const isNumber = extractor.transform?.includes("number");
    variables.set(extractor.name, isNumber ? Number(found) : found);
  }
}

function sentBody(body: Body, variables: Variables): unknown {
  const text = (template: unknown) => evaluate(String(template), variables);
  if (typeof body === "string") return text(body);
  if ("json" in body) return { json: sentJson(body.json, variables) };
  if (body.form) {
    const pairs = Array.isArray(body.form)
      ? body.form.map(([name, value]) => [text(name), text(value)])
      : Object.entries(body.form).map(([name, value]) => [name, text(value)]);
    return { form: pairs };
  }
  if (body.multipart) {
    return { multipart: body.multipart.map(({ name, value }) => [text(name), text(value)]) };
  }
  return { base64: body.base64 };
}

function sentJson(value: unknown, variables: Variables): unknown {
  if (Array.isArray(value)) return value.map((item) => sentJson(item, variables));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        evaluate(name, variables),
        sentJson(member, variables),
      ]),
    );
  }
  if (typeof value !== "string") return value;
  const parts = parseTemplate(value);
  const [only] = parts;
  if (parts.length === 1 && only.kind === "variable") return valueOf(only, variables);
  return evaluate(value, variables);
}

function evaluate(template: string, variables: Variables): string {
  return parseTemplate(template).map((part) =>
    part.kind === "text" ? part.text : String(valueOf(part, variables))
  ).join("");
}

function valueOf(expression: Expression, variables: Variables): unknown {
  const generated = uuidName(expression);
  if (generated !== undefined) return variables.get(`uuid(${generated})`);
  if (expression.kind === "call") {
    const [argument] = expression.arguments;
    if (expression.name === "url_encode") {
      return encodeURIComponent(String(valueOf(argument, variables)));
    }
  }
  if (expression.kind !== "variable") throw new Error(`not expected here: ${expression.kind}`);
  if (!variables.has(expression.name)) throw new Error(`unset: ${expression.name}`);
  return variables.get(expression.name);
}
