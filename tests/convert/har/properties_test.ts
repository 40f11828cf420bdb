import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseYaml } from "../../../src/base/yaml.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import { clientIds } from "../../../src/convert/har/client_ids.ts";
import { Replacements } from "../../../src/correlation/replace.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import { printPlan } from "../../../src/plan/print.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { parseTemplate } from "../../../src/plan/text/template.ts";
import type { Exchange, RequestBody } from "../../../src/traffic/har/recording.ts";
import { recordedExchanges } from "./arbitrary_recording.ts";
import { recordingWith } from "./recorded_case.ts";
import { extract, send, type Variables } from "./replay.ts";

/** Converts exchanges to a plan whose extractors all are JSONPaths. */
function planWithPaths(exchanges: readonly Exchange[], jsonOnly = false): Plan {
  const { plan } = convertHar(recordingWith(exchanges), { jsonOnly });
  return requestsOf(plan).every(({ extract = [] }) =>
      extract.every(({ type }) => type === "jsonpath")
    )
    ? plan
    : convertHar(recordingWith(exchanges), { jsonOnly: true }).plan;
}

function requestsOf(plan: Plan): Request[] {
  return plan.scenarios.recorded.flow.map(({ request }) => request!);
}

Deno.test("if responses contain the recorded values, a converted plan sends exactly the recorded requests", () => {
  fc.assert(
    fc.property(recordedExchanges, fc.boolean(), (exchanges, jsonOnly) => {
      const plan = planWithPaths(exchanges, jsonOnly);
      const requests = requestsOf(plan);
      const generated = clientIds(
        splitCalls(exchanges),
        exchanges,
        new Replacements([]),
      );
      const variables: Variables = new Map(
        generated.map(({ name, random }) => [`uuid(${name})`, random]),
      );
      assertEquals(requests.length, exchanges.length);
      requests.forEach((request, i) => {
        const { request: recorded, response } = exchanges[i];
        const sent = send(request, plan.defaults!.http!, variables);
        assertEquals(sent.method, recorded.method);
        assertEquals(normal(sent.url), normal(recorded.url));
        assertEquals(sent.headers, recordedHeaders(recorded.headers, recorded.body));
        assertEquals(sent.body, recordedBody(recorded.body));
        if (request.extract) extract(request.extract, JSON.parse(response.text!), variables);
      });
    }),
  );
});

Deno.test("a converted plan is valid, and its text parses as the same plan", () => {
  fc.assert(
    fc.property(recordedExchanges, (exchanges) => {
      const { plan, header } = convertHar(recordingWith(exchanges), {
        secrets: true,
        checks: "status",
        explain: true,
      });
      assertEquals(
        checkPlan(plan).filter(({ severity }) => severity === "error"),
        [],
      );
      assertEquals(parseYaml(printPlan(plan, header)), plan);
    }),
  );
});

Deno.test("later requests of a converted plan do not contain the recorded text of correlated values", () => {
  let correlated = 0;
  fc.assert(
    fc.property(recordedExchanges, (exchanges) => {
      const requests = requestsOf(planWithPaths(exchanges));
      requests.forEach((request, producer) => {
        for (const extractor of request.extract ?? []) {
          correlated++;
          const variables: Variables = new Map();
          const response = JSON.parse(exchanges[producer].response.text!);
          extract([extractor], response, variables);
          const value = variables.get(extractor.name);
          const ended = hasClock(exchanges) ? exchanges[producer].endedAt : -Infinity;
          requests.slice(producer + 1).forEach((later, i) => {
            const { startedAt } = exchanges[producer + 1 + i];
            if (startedAt + 1 < ended) return;
            for (const literal of literalsOf(later)) {
              assert(!isReplaceable(literal, value), `${value} in ${literal.text}`);
            }
          });
        }
      });
    }),
  );
  assert(correlated > 50, `${correlated} correlations were looked at`);
});

Deno.test("convertHar always creates the same plan from the same recording", () => {
  fc.assert(
    fc.property(recordedExchanges, (exchanges) => {
      const text = () => {
        const { plan, header } = convertHar(recordingWith(exchanges), { explain: true });
        return printPlan(plan, header);
      };
      assertEquals(text(), text());
    }),
  );
});

function hasClock(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ startedAt }) => startedAt !== exchanges[0].startedAt);
}

/**
 * Normalizes the percent-encoding of a URL: writes escapes in upper case, and only where they are
 * required.
 */
function normal(url: string): string {
  return url.replace(/[^/?&=]+/g, (text) => {
    try {
      return encodeURIComponent(decodeURIComponent(text));
    } catch {
      return text;
    }
  });
}

function recordedHeaders(
  headers: Exchange["request"]["headers"],
  body: RequestBody | undefined,
): Record<string, string> {
  const kept = headers.filter(({ name }) => !["Cookie", "Host", ":path"].includes(name));
  const type = body?.kind === "text" ? [["Content-Type", body.contentType]] : [];
  return Object.fromEntries([...kept.map(({ name, value }) => [name, value]), ...type]);
}

function recordedBody(body: RequestBody | undefined): unknown {
  switch (body?.kind) {
    case "json":
      return { json: body.value };
    case "form":
      return { form: [...new URLSearchParams(body.text)] };
    case "multipart":
      return { multipart: body.parts.map(({ name, value }) => [name, value]) };
    case "base64":
      return { base64: body.base64 };
    default:
      return body?.text;
  }
}

/** A literal string in a request of a plan. */
interface Literal {
  readonly text: string;
  /** True if the string is a path segment, where variables replace even short numbers. */
  readonly path: boolean;
  readonly json: boolean;
}

function literalsOf({ url, headers = {}, body }: Request): Literal[] {
  const literal = (template: unknown, more: Partial<Literal> = {}): Literal[] => {
    const parts = parseTemplate(String(template));
    const text = parts.length === 1 && parts[0].kind === "text" ? parts[0].text : "";
    return [{ text, path: false, json: false, ...more }];
  };
  const inUrl = (template: string, path: boolean) =>
    literal(template, { path }).map((one) => ({ ...one, text: decoded(one.text) }));
  const [path, query = ""] = url.replace(/^https?:\/\/[^/?]*/, "").split(/\?(.*)/s);
  return [
    ...path.split("/").flatMap((segment) => inUrl(segment, true)),
    ...query.split("&").flatMap((pair) => inUrl(pair.split(/=(.*)/s)[1] ?? "", false)),
    ...Object.values(headers).flatMap((value) => literal(String(value).replace(/^Bearer /, ""))),
    ...bodyTexts(body).flatMap(([text, json]) => literal(text, { json })),
  ];
}

function bodyTexts(body: Request["body"]): [text: string, json: boolean][] {
  if (body === undefined) return [];
  if (typeof body === "string") return [[body, false]];
  if (body.form) {
    const pairs = Array.isArray(body.form) ? body.form : Object.entries(body.form);
    return pairs.map(([, value]) => [String(value), false]);
  }
  if (body.multipart) return body.multipart.map(({ value }) => [value ?? "", false]);
  return leaves(body.json).map((text) => [text, true]);
}

function leaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

/**
 * Reports whether `convert` should have replaced a literal with a variable that has this value. In
 * JSON, a variable with a string value cannot replace a number. Variables replace numbers of up to
 * three digits only in path segments.
 */
function isReplaceable({ text, path, json }: Literal, value: unknown): boolean {
  if (text !== String(value)) return false;
  if (/^\d{1,3}$/.test(text)) return path;
  return !(json && typeof value === "string" && /^\d+$/.test(text));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
