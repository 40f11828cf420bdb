import { encodeForm } from "../../http/encode_body.ts";
import { MarkupError, parseHtml } from "../../extract/parse_html.ts";
import { type FormControl, type PageForm, readForms } from "../../extract/forms.ts";
import { type Exchange, type FormPart, headerValue, type RequestBody } from "./recording.ts";
import { parseMediaType } from "./media_type.ts";

const MULTIPART = "multipart/form-data";
const FORM = "application/x-www-form-urlencoded";

/**
 * Rebuilds lost bodies, such as those with files in a HAR from Chromium: from the form in the
 * latest page that sends to the URL, or that uploads from the page that sent it, or from an equal
 * call. Sets `bodyRebuilt`. Fills lost files with placeholders of their type.
 */
export function rebuildBodies(exchanges: readonly Exchange[]): readonly Exchange[] {
  if (!exchanges.some(({ request }) => request.bodyMissing)) return exchanges;
  const known = new Map<Exchange, readonly PageForm[]>();
  const formsIn = (page: Exchange) => known.getOrInsertComputed(page, formsOf);
  return exchanges.map((exchange, order) => {
    const { request } = exchange;
    if (!request.bodyMissing) return exchange;
    const body = request.body === undefined
      ? bodyOfForm(exchange, exchanges.slice(0, order), formsIn) ??
        equalCall(exchange, order, exchanges)
      : filled(request.body);
    return body === undefined
      ? exchange
      : { ...exchange, request: { ...request, body, bodyRebuilt: true as const } };
  });
}

function filled(body: RequestBody): RequestBody | undefined {
  if (body.kind !== "multipart") return undefined;
  const isLost = ({ filename, value }: FormPart) => Boolean(filename) && value === "";
  if (!body.parts.some(isLost)) return undefined;
  const parts = body.parts.map((part) => {
    if (!isLost(part)) return part;
    const { name, filename = "", contentType = "" } = part;
    const file = placeholder(name, `${contentType} ${filename}`);
    return { ...file, filename, ...(contentType !== "" && { contentType }) };
  });
  return { ...body, parts };
}

function formsOf({ response: { text = "" } }: Exchange): readonly PageForm[] {
  try {
    return readForms(parseHtml(text));
  } catch (error) {
    if (error instanceof MarkupError) return [];
    throw error;
  }
}

function bodyOfForm(
  { request }: Exchange,
  earlier: readonly Exchange[],
  formsIn: (page: Exchange) => readonly PageForm[],
): RequestBody | undefined {
  const stated = headerValue(request.headers, "content-type") ?? "";
  const type = parseMediaType(stated).essence;
  if (type !== MULTIPART && type !== FORM) return undefined;
  const referer = plainUrl(headerValue(request.headers, "referer") ?? "");
  const url = plainUrl(request.url);
  for (const page of earlier.toReversed()) {
    if (page.response.mimeType !== "text/html" || !page.response.text) continue;
    const sends = ({ method, action }: PageForm) =>
      method === "POST" && plainUrl(action, page.request.url) === url;
    const mayUpload = type === MULTIPART && plainUrl(page.request.url) === referer;
    const form = formsIn(page).find(sends) ?? (mayUpload ? formsIn(page).find(hasFile) : undefined);
    if (form !== undefined) return formBody(form.controls, type, stated);
  }
  return undefined;
}

function hasFile({ controls }: PageForm): boolean {
  return controls.some(({ accept }) => accept !== undefined);
}

function plainUrl(url: string, base?: string): string {
  return (URL.parse(url, base)?.href ?? url).replace(/#.*$/s, "");
}

function formBody(
  controls: readonly FormControl[],
  type: string,
  contentType: string,
): RequestBody {
  if (type === FORM) {
    const text = encodeForm(controls.map(({ name, value }) => [name, value]));
    return { kind: "form", text, contentType };
  }
  const parts = controls.map(({ name, value, accept }): FormPart =>
    accept === undefined ? { name, value } : placeholder(name, accept)
  );
  return { kind: "multipart", parts, contentType };
}

function equalCall(
  { request }: Exchange,
  order: number,
  exchanges: readonly Exchange[],
): RequestBody | undefined {
  const type = ({ headers }: Exchange["request"]) =>
    parseMediaType(headerValue(headers, "content-type") ?? "").essence;
  const isEqual = (other: Exchange) =>
    other.request.method === request.method && !other.request.bodyMissing &&
    other.request.body !== undefined && type(other.request) === type(request) &&
    pathOf(other) === pathOf({ request });
  const found = exchanges.slice(0, order).findLast(isEqual) ?? exchanges.slice(order).find(isEqual);
  return found?.request.body;
}

function pathOf({ request }: Pick<Exchange, "request">): string {
  return request.url.replace(/[?#].*$/s, "");
}

const PLACEHOLDERS: readonly (readonly [type: RegExp, extension: string, file: PartFile])[] = [
  [/image|\.(?:png|jpe?g|gif|webp)/i, "png", {
    base64:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    contentType: "image/png",
  }],
  [/csv/i, "csv", { value: "name,value\nplaceholder,1\n", contentType: "text/csv" }],
  [/json/i, "json", { value: "{}", contentType: "application/json" }],
  [/(?:)/, "txt", { value: "placeholder\n", contentType: "text/plain" }],
];
type PartFile = Omit<FormPart, "name">;

function placeholder(name: string, type: string): FormPart {
  const [, extension, file] = PLACEHOLDERS.find(([pattern]) => pattern.test(type))!;
  return { name, ...file, filename: `placeholder.${extension}` };
}
