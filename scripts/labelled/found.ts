import { query } from "json-p3";
import { readVariables } from "../../src/plan/expressions/expression.ts";
import type { Body } from "../../src/plan/kinds/bodies.ts";
import type { Extractor } from "../../src/plan/kinds/extractors.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { parseTemplate } from "../../src/plan/text/template.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { replayedRequests } from "../models/evaluate_plan.ts";
import type { Use } from "./label.ts";

/** A correlation found in a plan. */
export interface Found {
  /** Index of the entry whose response contains the value. */
  readonly producer: number;
  /**
   * JSONPath that selects the extracted value, with indexes instead of filters. Undefined for
   * extractors of other types.
   */
  readonly path: string | undefined;
  /** Value that `path` selects in the recorded response. */
  readonly value: unknown;
  readonly uses: Use[];
}

/** Returns the extractors of a plan made from `calls`, each with all uses of its variable. */
export function foundIn(plan: Plan, calls: readonly Exchange[]): Found[] {
  const requests = replayedRequests(plan);
  if (requests.length !== calls.length) {
    throw new Error(`${calls.length} calls became ${requests.length} requests`);
  }
  const found: Found[] = [];
  const variables = new Map<string, Found>();
  requests.forEach((request, i) => {
    for (const { where, name } of variablesIn(request)) {
      const source = variables.get(name);
      if (source === undefined) throw new Error(`\${${name}} is used before it is extracted`);
      source.uses.push({ entry: calls[i].index, where });
    }
    if (requests[i + 1] === request) return; // A repeated request extracts from the last response.
    for (const extractor of request.extract ?? []) {
      const source = foundBy(calls[i], extractor);
      variables.set(extractor.name, source);
      found.push(source);
    }
  });
  return found;
}

function foundBy({ index, response }: Exchange, extractor: Extractor): Found {
  // A label gives no path to the name of a member.
  if (extractor.type !== "jsonpath" || extractor.take === "key") {
    return { producer: index, path: undefined, value: undefined, uses: [] };
  }
  const found = query(extractor.expression, JSON.parse(response.text ?? "null"));
  const { expression } = extractor;
  const path = expression.includes("[?") ? found.paths()[0] : expression;
  const value = found.values()[0];
  return { producer: index, path, value, uses: [] };
}

interface Reference {
  readonly where: string;
  readonly name: string;
}

function variablesIn({ url, headers = {}, body }: Request): Reference[] {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    references(value, `header:${name.toLowerCase()}`)
  );
  return unique([...urlReferences(url), ...named, ...bodyReferences(body)]);
}

function urlReferences(url: string): Reference[] {
  const [path, ...query] = url.split("?");
  const pairs = query.join("?").split("&");
  return [
    ...references(path, "path"),
    ...pairs.flatMap((pair) => {
      const [name, ...value] = pair.split("=");
      return [...references(name, "name"), ...references(value.join("="), `query:${name}`)];
    }),
  ];
}

function bodyReferences(body: Body | undefined): Reference[] {
  if (body === undefined) return [];
  if (typeof body === "string") return references(body, "text");
  const { json, form = [], multipart = [] } = body;
  const fields = Array.isArray(form) ? form : Object.entries(form);
  return [
    ...jsonReferences(json, "$"),
    ...[...fields, ...multipart.map(({ name, value }) => [name, value] as const)].flatMap((
      [name, value],
    ) => [...references(name, "name"), ...references(value, `form:${name}`)]),
  ];
}

function jsonReferences(json: unknown, path: string): Reference[] {
  if (typeof json !== "object" || json === null) return references(json, `json:${path}`);
  if (Array.isArray(json)) return json.flatMap((item, i) => jsonReferences(item, `${path}[${i}]`));
  return Object.entries(json).flatMap(([name, item]) => [
    ...references(name, "name"),
    ...jsonReferences(item, path + pathSegment(name)),
  ]);
}

function references(template: unknown, where: string): Reference[] {
  if (typeof template !== "string") return [];
  return parseTemplate(template).flatMap(readVariables).map((name) => ({ where, name }));
}

function unique(references: readonly Reference[]): Reference[] {
  return [...new Map(references.map((r) => [`${r.where} ${r.name}`, r])).values()];
}

/** Formats a member name as a JSONPath segment, in single quotes unless it is a plain name. */
function pathSegment(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `.${name}`;
  return `['${name.replace(/['\\]/g, "\\$&")}']`;
}
