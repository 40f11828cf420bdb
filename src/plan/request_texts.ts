import { type ExactNumber, isMap, isNumber, type WrittenNumber } from "../base/exact_number.ts";
import { splitParameters } from "../base/string_escapes.ts";
import { bodyFiles } from "./kinds/bodies.ts";
import { outputVariant } from "./kinds/outputs.ts";
import { allFlows, listRequests } from "./kinds/list_requests.ts";
import type { Request } from "./kinds/request.ts";
import type { Plan } from "./schema/plan.ts";
import { type PlacedPart, placedParts } from "./text/template.ts";

/**
 * Part of a request that is a template or contains one. The name of a JSON member is a part
 * (`json-name`) if it contains an expression.
 */
export type RequestTextKind =
  | "host"
  | "path"
  | "query"
  | "query-name"
  | "header"
  | "json"
  | "json-name"
  | "form"
  | "form-name"
  | "multipart"
  | "file"
  | "body";

/** A template in a request, such as a path segment, a header or a JSON leaf. */
export interface RequestText {
  readonly kind: RequestTextKind;
  /**
   * Name of the parameter, header, field or member. For a path segment, the segment before it.
   * Empty if the text has no name.
   */
  readonly name: string;
  /** Names of the members of a JSON body that contain the text, without its own name. */
  readonly around?: readonly string[];
  /** Last word of the URL's path, such as `orders`, if any. */
  readonly resource: string;
  readonly template: string;
  /** True if the text is written as a JSON number. */
  readonly numeric: boolean;
}

type MapText = (text: Omit<RequestText, "resource">) => string | WrittenNumber;

/**
 * Replaces each template string. Leaves others, such as checks. In JSON, `mapText` may return a
 * number.
 */
export function mapRequestTexts(
  request: Request,
  mapText: (text: RequestText) => string | WrittenNumber,
): Request {
  const { url, params, headers, body } = request;
  const resource = resourceOf(url);
  const map: MapText = (text) => mapText({ ...text, resource });
  return {
    ...request,
    url: mapUrl(url, map),
    ...(params && { params: mapFields(params, "query", map) as Request["params"] }),
    ...(headers && { headers: mapFields(headers, "header", map) as Request["headers"] }),
    ...(body !== undefined && { body: mapBody(body, map) }),
  };
}

/**
 * Returns all template strings of a request. Those of the URL come first, followed by those of
 * `params`, `headers` and `body`.
 */
export function requestTexts(request: Request): RequestText[] {
  const texts: RequestText[] = [];
  mapRequestTexts(request, (text) => (texts.push(text), text.template));
  return texts;
}

function resourceOf(url: string): string {
  const [, , path] = URL_PARTS.exec(maskExpressions(url).masked)!;
  return path.split("/").findLast((segment) => /^[A-Za-z][\w-]*$/.test(segment)) ?? "";
}

const URL_PARTS = /^(https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(.*)$/is;

function mapUrl(url: string, map: MapText): string {
  const { masked, unmask } = maskExpressions(url);
  const [, host = "", path, query = "", rest] = URL_PARTS.exec(masked)!;
  const text = (kind: RequestTextKind, name: string, part: string) =>
    part === ""
      ? ""
      : String(map({ kind, name: unmask(name), template: unmask(part), numeric: false }));
  let before = "";
  const segments = path.split("/").map((segment) => {
    const mapped = text("path", before, segment);
    before = segment;
    return mapped;
  });
  const pairs = splitParameters(query.slice(1)).map(([separator, pair]) => {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(equals, 0));
    const written = text("query-name", "", name) + (equals < 0 ? "" : "=");
    return separator + written + text("query", name, pair.slice(equals + 1));
  });
  return text("host", "", host) + segments.join("/") + (query && `?${pairs.join("")}`) +
    unmask(rest);
}

/** Matches an expression that contains a URL delimiter. */
const DELIMITED = /\$\{[^}]*[/?#&=]/;

/**
 * Replaces the expressions in a URL with text without delimiters. `unmask` restores them. Returns a
 * URL unchanged if its expressions contain no delimiters, or if it is not a valid template.
 */
function maskExpressions(url: string): { masked: string; unmask: (text: string) => string } {
  if (!DELIMITED.test(url)) return { masked: url, unmask: (text) => text };
  const written: string[] = [];
  let placed: PlacedPart[];
  try {
    placed = placedParts(url);
  } catch {
    return { masked: url, unmask: (text) => text };
  }
  const masked = placed.map(({ part, at }, i) => {
    const source = url.slice(at, placed[i + 1]?.at);
    return part.kind === "text" ? source : `\0${written.push(source) - 1}\0`;
  }).join("");
  return { masked, unmask: (text) => text.replace(/\0(\d+)\0/g, (_, i) => written[i]) };
}

type Scalar = string | number | boolean | null | ExactNumber;
type Fields = Readonly<Record<string, Scalar | Scalar[]>>;

function mapFields(fields: Fields, kind: RequestTextKind, map: MapText): Record<string, Scalar> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, mapValue(value, name, kind, map)]),
  ) as Record<string, Scalar>;
}

function mapValue(
  value: Scalar | Scalar[],
  name: string,
  kind: RequestTextKind,
  map: MapText,
): Scalar | Scalar[] {
  return Array.isArray(value)
    ? value.map((one) => mapScalar(one, name, kind, map))
    : mapScalar(value, name, kind, map);
}

function mapScalar<T>(
  value: T,
  name: string,
  kind: RequestTextKind,
  map: MapText,
  around?: readonly string[],
): T | string | WrittenNumber {
  const numeric = isNumber(value);
  if (typeof value !== "string" && !numeric) return value;
  const template = String(value);
  const mapped = map({
    kind,
    name,
    template,
    numeric: numeric && kind === "json",
    ...(around && { around }),
  });
  if (mapped === template) return value;
  return kind === "json" ? mapped : String(mapped);
}

function mapBody(body: NonNullable<Request["body"]>, map: MapText): NonNullable<Request["body"]> {
  if (typeof body === "string") return String(mapScalar(body, "", "body", map));
  return {
    ...body,
    ...(body.json !== undefined && { json: mapJson(body.json, [], map) as typeof body.json }),
    ...(body.form !== undefined && { form: mapForm(body.form, map) }),
    ...(body.multipart !== undefined && {
      multipart: body.multipart.map((part) => ({
        ...part,
        name: String(mapScalar(part.name, "", "form-name", map)),
        ...(part.value !== undefined && {
          value: String(mapScalar(part.value, part.name, contentKind(part), map)),
        }),
        ...(part.filename !== undefined && {
          filename: String(mapScalar(part.filename, "filename", "multipart", map)),
        }),
      })),
    }),
  };
}

function contentKind({ filename }: { readonly filename?: string }): RequestTextKind {
  return filename === undefined ? "multipart" : "file";
}

/** `path` contains the names of the members that contain the value, the innermost last. */
function mapJson(value: unknown, path: readonly string[], map: MapText): unknown {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, path, map));
  if (!isMap(value)) return mapScalar(value, path.at(-1) ?? "", "json", map, path.slice(0, -1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.includes("${") ? mapScalar(key, "", "json-name", map) : key,
      mapJson(member, [...path, key], map),
    ]),
  );
}

type Form = NonNullable<Exclude<NonNullable<Request["body"]>, string>["form"]>;

function mapForm(form: Form, map: MapText): Form {
  const isList = Array.isArray(form);
  const pairs = isList
    ? form
    : Object.entries(form).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => [name, one] as [string, Scalar])
    );
  const names = pairs.map(([name]) => mapScalar(name, "", "form-name", map));
  const isRenamed = names.some((name, i) => name !== pairs[i][0]);
  if (!isList && !isRenamed) return mapFields(form as Fields, "form", map) as Form;
  return pairs.map(([name, value], i) => [names[i], mapScalar(value, name, "form", map)]) as Form;
}

/** Data, secrets, certificates and bodies, as written in the plan. */
export function filesRead(plan: Plan): string[] {
  const { data = {}, scenarios, secrets = {}, defaults } = plan;
  const { ca_file, cert_file, key_file } = defaults?.http?.tls ?? {};
  const requests = allFlows(plan).flatMap((flow) => [...listRequests(flow)]);
  return [
    ...Object.values(data).map((feeder) => "path" in feeder ? feeder.path : undefined),
    ...Object.values(scenarios).map((one) => "path" in one ? one.path : undefined),
    ...Object.values(secrets).map((secret) => "file" in secret ? secret.file : undefined),
    ...[ca_file, cert_file, key_file],
    ...requests.flatMap(({ body }) => body === undefined ? [] : bodyFiles(body)),
  ].filter((path) => path !== undefined);
}

/**
 * Returns the paths of the files that contain a plan's secrets: its `secrets` and the private key
 * of its client certificate, as written in the plan.
 */
export function secretFiles({ secrets = {}, defaults }: Plan): string[] {
  return [
    ...Object.values(secrets).map((secret) => "file" in secret ? secret.file : undefined),
    defaults?.http?.tls?.key_file,
  ].filter((path) => path !== undefined);
}

/** Returns the paths of all files that the outputs of a plan write, as written in the plan. */
export function filesWritten({ outputs = [] }: Plan): string[] {
  return outputs.flatMap((output) => outputVariant(output).files?.(output) ?? []);
}
