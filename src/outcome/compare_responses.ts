import {
  type BodyForm,
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
  type ReadBody,
} from "../comparison/compared_response.ts";
import { plural } from "../base/format.ts";
import { parseMediaType } from "../traffic/har/media_type.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { difference, nameDifference, type ResponseDifference } from "./difference.ts";
import { compareJson, compareWritten } from "./json_outcome.ts";
import { bodyOf, type Form, type Markup, readLiteral, readOutline } from "./leaves.ts";
import { asksForPassword } from "./refusal.ts";
import { haveSameShape, urlShape } from "./shapes.ts";

/**
 * Returns the aspects in which a live response differs, most important first. Ignores values that a
 * server generates, and what the recording lacks. `isRead`: the state of a resource may differ.
 */
export function compareResponses(
  recorded: ComparedResponse,
  live: ComparedResponse,
  isRead = false,
): ResponseDifference[] {
  if (recorded.status === 0) return [];
  const found = compareHeads(recorded, live);
  if (isBodiless(recorded) || isRedirect(live) || recorded.text === undefined) return found;
  if (isStream(recorded) && isStream(live)) return found;
  return [...found, ...compareBodies(recorded, live, isRead ? "read" : "write")];
}

/** Compares the data of two server-sent events in the same way as response bodies. */
export function compareEvents(
  recorded: ComparedResponse,
  live: ComparedResponse,
): ResponseDifference[] {
  return recorded.text === undefined ? [] : compareBodies(recorded, live, "event");
}

/** Streams are not compared: the number of events varies, and a plan may stop reading early. */
function isStream(response: ComparedResponse): boolean {
  return mediaTypeOf(response) === "text/event-stream";
}

function isBodiless(response: ComparedResponse): boolean {
  return isRedirect(response) || response.status === 304 || response.status === 204;
}

function compareHeads(recorded: ComparedResponse, live: ComparedResponse): ResponseDifference[] {
  const found: ResponseDifference[] = [];
  // A plan sends no conditional headers, so a response from a browser cache arrives in full.
  const isFromCache = recorded.status === 304 && live.status === 200;
  if (recorded.status !== live.status && !isFromCache) {
    found.push(difference("status", String(recorded.status), String(live.status)));
  }
  if (isRedirect(live)) found.push(...compareLocations(recorded, live));
  if (isBodiless(recorded)) return found;
  const [type, liveType] = [mediaTypeOf(recorded), mediaTypeOf(live)];
  if (type !== "" && !isRedirect(live) && recorded.text !== "") {
    found.push(...ifUnequal("media-type", type, liveType));
  }
  if (headerValue(recorded.headers, "location") !== undefined && !isRedirect(live)) {
    found.push(...compareLocations(recorded, live));
  }
  return found;
}

function compareLocations(
  recorded: ComparedResponse,
  live: ComparedResponse,
): ResponseDifference[] {
  const [location, liveLocation] = [recorded, live].map(({ headers }) =>
    headerValue(headers, "location")
  );
  if (location === undefined || liveLocation === undefined) {
    const [shape, liveShape] = [location, liveLocation].map((url) => url && urlShape(url));
    return ifUnequal("location", shape ?? "", liveShape ?? "");
  }
  if (haveSameShape(location, liveLocation)) return [];
  const [shape, liveShape] = [urlShape(location), urlShape(liveLocation)];
  // Names such as `step1confirm` can have the same shape.
  return shape === liveShape
    ? [difference("location", locationPath(location), locationPath(liveLocation))]
    : [difference("location", shape, liveShape)];
}

function ifUnequal(
  kind: ResponseDifference["kind"],
  recorded: string,
  live: string,
): ResponseDifference[] {
  return recorded === live ? [] : [difference(kind, recorded, live)];
}

function locationPath(location: string): string {
  return URL.parse(location, "http://base.invalid/")?.pathname ?? "";
}

type BodySource = "read" | "write" | "event";

function compareBodies(
  recorded: ComparedResponse,
  live: ComparedResponse,
  source: BodySource,
): ResponseDifference[] {
  if (live.text === undefined) return [];
  const [body, liveBody] = [bodyOf(recorded), bodyOf(live)];
  const [size, liveSize] = [body, liveBody].map((read) => read ? "with content" : "empty");
  if (size !== liveSize) return [difference("empty-body", size, liveSize)];
  if (body === undefined || liveBody === undefined) return [];
  const isRead = source === "read";
  const [parts, liveParts] = [recorded, live].map(partsOf);
  if (parts.length > 0 && liveParts.length > 0) {
    const counts = [parts, liveParts].map(({ length }) => `multipart of ${plural(length, "part")}`);
    return counts[0] === counts[1]
      ? parts.flatMap((part, i) => compareResponses(part, liveParts[i], isRead))
      : [difference("content", counts[0], counts[1])];
  }
  const values = source === "write" ? literals(body, liveBody) : undefined;
  if (values !== undefined) return compareWritten(...values);
  if (body.form !== liveBody.form) return [difference("content", body.form, liveBody.form)];
  return COMPARE[body.form](body, liveBody, isRead);
}

/** Parts of a `multipart` body: a batch has the response to each request (OData, RFC 2046). */
function partsOf({ headers, text = "" }: ComparedResponse): ComparedResponse[] {
  const { essence, parameters } = parseMediaType(headerValue(headers, "content-type") ?? "");
  const boundary = parameters.get("boundary");
  if (!essence.startsWith("multipart/") || boundary === undefined) return [];
  const [, ...pieces] = `\n${text}`.split(`\n--${boundary}`);
  return pieces.filter((piece) => !piece.startsWith("--")).map((piece) => {
    const part = readMessage(piece.replace(/^[^\n]*\n/, ""), 200);
    if (part.mimeType !== "application/http") return part;
    const [, status, message] = /^\s*HTTP\/\S+ (\d{3})[^\n]*\n?(.*)$/s.exec(part.text!) ?? [];
    return status === undefined ? part : readMessage(message, Number(status));
  });
}

function readMessage(text: string, status: number): ComparedResponse {
  const [, head, body] = /^((?:[^\r\n]+(?:\r?\n|$))*)(?:\r?\n)?(.*)$/s.exec(text)!;
  const headers = Array.from(
    head.matchAll(/^([^:\r\n]+): *([^\r\n]*)/gm),
    ([, name, value]) => ({ name, value }),
  );
  const mimeType = parseMediaType(headerValue(headers, "content-type") ?? "").essence;
  return { status, headers, mimeType, text: body };
}

function literals(body: ReadBody, liveBody: ReadBody): [unknown, unknown] | undefined {
  const [value, other] = [body, liveBody].map(({ form, json, text }) =>
    form === "json" ? json : form === "text" ? readLiteral(text) : undefined
  );
  return value === undefined || other === undefined ? undefined : [value, other];
}

const COMPARE: Readonly<
  Record<
    BodyForm,
    (recorded: ReadBody, live: ReadBody, isRead: boolean) => ResponseDifference[]
  >
> = {
  json: (recorded, live, isRead) => compareJson(recorded.json, live.json, isRead),
  page: comparePages,
  xml: compareXml,
  text: () => [],
};

const DOCUMENT = /<(?:html|body)\b/i;

function comparePages(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const page = readOutline(recorded);
  const livePage = readOutline(live);
  if (page === undefined || livePage === undefined) return [];
  // An update of a part of a page can be empty because a list has no items.
  const hasLostText = page.hasText && !livePage.hasText && DOCUMENT.test(recorded.text);
  const isLogin = asksForPassword(live) && !asksForPassword(recorded);
  return [
    ...(hasLostText ? [difference("empty-body", "with text", "without text")] : []),
    // Words only: a count in parentheses comes and goes.
    ...(wordsOf(page.title) === wordsOf(livePage.title)
      ? []
      : [difference("title", page.title, livePage.title)]),
    ...compareForms(page.forms, livePage.forms),
    ...nameDifference("form-field", page.fields, livePage.fields, () => isLogin),
  ];
}

function wordsOf(title: string): string {
  return (title.match(/[\p{L}\p{M}]+/gu) ?? []).join(" ");
}

function compareForms(
  forms: Markup["forms"],
  liveForms: Markup["forms"],
): ResponseDifference[] {
  const added = [...liveForms].filter(([shape]) => !forms.has(shape));
  const missing = [...forms].filter(([shape]) => !liveForms.has(shape));
  const isSame = (form: Form, other: Form) =>
    form.method === other.method && haveSameShape(form.action, other.action);
  const unpaired = (list: typeof added, others: typeof added) =>
    new Set(
      list.filter(([, form]) => !others.some(([, other]) => isSame(form, other)))
        .map(([shape]) => shape),
    );
  return nameDifference("form", unpaired(missing, added), unpaired(added, missing));
}

function compareXml(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const document = readOutline(recorded);
  const liveDocument = readOutline(live);
  if (document === undefined || liveDocument === undefined) return [];
  const lists = resizedLists(document.paths, liveDocument.paths);
  return nameDifference(
    "element",
    namesOutside(lists, document.paths),
    namesOutside(lists, liveDocument.paths),
    (name) => FAULT.test(name),
  );
}

function resizedLists(
  paths: ReadonlyMap<string, number>,
  livePaths: ReadonlyMap<string, number>,
): string[] {
  return [...paths].filter(([path, count]) => {
    const liveCount = livePaths.get(path) ?? 0;
    return liveCount !== 0 && liveCount !== count;
  }).map(([path]) => path);
}

const FAULT = /error|fault|exception/i;

/** Ignores what is in the items of lists, unless it describes an error. */
function namesOutside(
  lists: readonly string[],
  paths: ReadonlyMap<string, number>,
): Set<string> {
  const names = [...paths.keys()].filter((path) =>
    !lists.some((list) => path.startsWith(`${list}/`))
  )
    .concat([...paths.keys()].filter((path) => FAULT.test(path)))
    .map((path) => path.slice(path.lastIndexOf("/") + 1));
  return new Set(names);
}
