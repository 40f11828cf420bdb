import { asText } from "../../base/exact_number.ts";
import { bytes, plural, time } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { findJsonPath } from "../../extract/jsonpath.ts";
import { bodyText, decodeContent } from "../../http/content.ts";
import { encodeRequest } from "../../http/encode_request.ts";
import type { HttpResponse, HttpSession, Outgoing, Sender, Socket } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { conditionName, type Request, requestName } from "../../plan/kinds/request.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { RequestObserver, TestedResponse } from "../../engine/flow/scope.ts";

/** Maximum length of the description of a failure, in UTF-16 code units. */
const LONGEST_FAILURE = 400;
const EVERYTHING = { headers: true, body: true };

/** A sender whose requests are printed, and an observer that prints which of them failed. */
export interface TracedSender extends Sender {
  readonly observer: RequestObserver;
}

/**
 * Wraps a sender. Passes each request and its response to `show` as text, with secrets hidden. The
 * text starts with the label of the request from `labels`, such as `#3`, or with `#ws1` for the
 * first WebSocket. The observer of the returned sender also passes failed checks and assertions to
 * `show`, and requests that could not be built.
 */
export function tracedSender(
  sender: Sender,
  labels: ReadonlyMap<Request, string>,
  show: (text: string) => void,
  trace: Trace,
): TracedSender {
  /** Label of each session's current request. */
  const current = new WeakMap<HttpSession, string>();
  let shown = 0;
  let sockets = 0;
  const showBlock = (text: string) => show(`${shown++ === 0 ? "" : "\n"}${text}`);
  // Hides secrets first, because the beginning of a secret would remain.
  const failure = (label: string, text: string) =>
    `${label}✗ ${safeSnippet(trace.redact(text), LONGEST_FAILURE)}\n`;
  const traced = (session: HttpSession): HttpSession => {
    const own: HttpSession = {
      async send(request, response) {
        const whole: Outgoing = { ...request, needs: EVERYTHING };
        await session.send(whole, response);
        showBlock(exchangeText(current.get(own) ?? "", whole, response, trace));
      },
      async openSocket(request, response) {
        const socket = await session.openSocket(request, response);
        const label = `#ws${++sockets} `;
        showBlock(exchangeText(label, request, response, trace, "ws"));
        return socket &&
          tracedSocket(
            socket,
            (mark, content, isText) => show(messageText(label + mark, content, isText, trace)),
          );
      },
      branch: () => traced(session.branch()),
      close: () => session.close(),
    };
    return own;
  };
  return {
    ...sender,
    open: (user) => traced(sender.open(user)),
    observer: {
      start(request, session) {
        const label = labels.get(request);
        current.set(session, label === undefined ? "" : `${label} `);
      },
      unsent(request, session, reason) {
        const text = `${requestName(request)} was not sent: ${reason}`;
        showBlock(failure(current.get(session) ?? "", text));
      },
      failed(condition, session, response) {
        show(failure(current.get(session) ?? "", describeFailed(condition, response)));
      },
    },
  };
}

export function requestLabels(
  { setup = [], scenarios, teardown = [] }: Plan,
  firstNumbers: ReadonlyMap<string, number>,
): Map<Request, string> {
  const numbered = Object.entries(scenarios).flatMap(([name, { flow }]) =>
    Array.from(
      listRequests(flow),
      (request, i) => [request, `#${firstNumbers.get(name)! + i}`] as const,
    )
  );
  return new Map([
    ...Array.from(listRequests(setup), (request) => [request, "#setup"] as const),
    ...numbered,
    ...Array.from(listRequests(teardown), (request) => [request, "#teardown"] as const),
  ]);
}

/** Shows a WebSocket message. `mark` is `>` if it was sent and `<` if it was received. */
type ShowMessage = (mark: ">" | "<", content: Uint8Array | string, isText: boolean) => void;

function tracedSocket(socket: Socket, show: ShowMessage): Socket {
  return {
    get bytesSent() {
      return socket.bytesSent;
    },
    get bytesReceived() {
      return socket.bytesReceived;
    },
    send(content, isText) {
      show(">", content, isText);
      return socket.send(content, isText);
    },
    listen: (listener) =>
      socket.listen({
        onMessage(message, size) {
          show("<", message, typeof message === "string");
          listener.onMessage(message, size);
        },
        onEnd: (end) => listener.onEnd(end),
      }),
    close: (code, reason) => socket.close(code, reason),
    abort: () => socket.abort(),
  };
}

function messageText(
  mark: string,
  content: Uint8Array | string,
  isText: boolean,
  { bodies, redact }: Trace,
): string {
  if (!bodies || !isText) return `${mark} (message of ${bytes(content.length)})\n`;
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  const shown = redact(text.slice(0, MAX_SEARCHED)).slice(0, MAX_BODY_CHARACTERS).trimEnd();
  return shown.split(/\r?\n/).map((line) => `${mark} ${safeText(line)}\n`).join("");
}

/** Maximum number of characters to print from a body. */
const MAX_BODY_CHARACTERS = 10_000;
/**
 * Number of characters of a body that are searched for secrets. More than are printed, so that no
 * printed secret is cut.
 */
const MAX_SEARCHED = 2 * MAX_BODY_CHARACTERS;

export interface Trace {
  /** True to print bodies. Otherwise, only their sizes and types are printed. */
  readonly bodies: boolean;
  readonly redact: Redactor;
}

function exchangeText(
  label: string,
  request: Outgoing,
  response: HttpResponse,
  trace: Trace,
  protocol: "http" | "ws" = "http",
): string {
  const { method, origin, target, body } = request;
  const headers = protocol === "http" ? sentHeaders(request) : request.headers;
  const scheme = origin.secure ? `${protocol}s` : protocol;
  const sent = body ? bodyLines(body, contentType(headers), trace) : [];
  const received = [
    outcome(response),
    ...response.headers.map(field),
    ...responseBody(response, trace),
  ];
  return [
    `${label}${method} ${scheme}://${origin.authority}${target}`,
    ...[...headers.map(field), ...sent].map((line) => `> ${line}`),
    ...received.map((line) => `< ${line}`),
  ].map((line) => safeText(trace.redact(line).trimEnd())).join("\n") + "\n";
}

/** Returns all headers of a request, with those that the client adds for HTTP/1.1. */
function sentHeaders(request: Outgoing): Outgoing["headers"] {
  try {
    const bytes = request.encoded ?? encodeRequest(request, true);
    const [head] = new TextDecoder().decode(bytes).split("\r\n\r\n", 1);
    return head.split("\r\n").slice(1).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    });
  } catch {
    return request.headers; // The request cannot be sent, as the response states.
  }
}

/**
 * Formats a header. Hides the credentials of Basic authentication, because they contain the
 * password in base64.
 */
function field([name, value]: readonly [name: string, value: string]): string {
  const isCredentials = /^(proxy-)?authorization$/i.test(name) && /^basic /i.test(value);
  return `${name}: ${isCredentials ? "Basic ********" : value}`;
}

function outcome(
  { status, error, message, blockedMs, sendingMs, waitingMs, receivingMs }: HttpResponse,
) {
  if (error) return `${error}: ${message}`;
  return `${status} in ${time(blockedMs + sendingMs + waitingMs + receivingMs)}`;
}

function responseBody(response: HttpResponse, trace: Trace): string[] {
  if (response.bodySize === 0) return [];
  try {
    return bodyLines(decodeContent(response), contentType(response.headers), trace);
  } catch (error) {
    return [`(${(error as Error).message})`];
  }
}

function bodyLines(body: Uint8Array, type: string, { bodies, redact }: Trace): string[] {
  const found = bodies ? bodyText(body, type) : undefined;
  if (found === undefined) return [`(${bytes(body.length)} of ${type || "unknown type"})`];
  const text = redact(found.slice(0, MAX_SEARCHED));
  const hidden = text.length + found.slice(MAX_SEARCHED).length - MAX_BODY_CHARACTERS;
  const more = hidden > 0 ? [`(${hidden} more characters)`] : [];
  return ["", ...text.slice(0, MAX_BODY_CHARACTERS).trimEnd().split(/\r?\n/), ...more];
}

function contentType(headers: Outgoing["headers"]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].toLowerCase() ?? "";
}

/**
 * Describes a check or an assertion that is false for a response, such as
 * `login works: expected status equals 200, got 500`. Omits the actual value if it is unknown.
 * Contains recorded text, which is not escaped.
 */
export function describeFailed(condition: Condition | Assertion, response: TestedResponse): string {
  const name = conditionName(condition);
  const expected = conditionName({ ...condition, name: undefined });
  const actual = actualValue(condition, response);
  const parts = [
    ...(name === expected ? [] : [`expected ${expected}`]),
    ...(actual === undefined ? [] : [`got ${actual}`]),
  ];
  return parts.length === 0 ? name : `${name}: ${parts.join(", ")}`;
}

function actualValue(
  condition: Condition | Assertion,
  tested: TestedResponse,
): string | undefined {
  const { status, bodySize } = tested.response;
  if (status === 0) return "no response";
  switch (condition.type) {
    case "status":
      return String(status);
    case "duration":
      return time(tested.durationMs);
    case "size":
      return bytes(bodySize);
    case "header": {
      const name = condition.header.toLowerCase();
      return tested.headers.find(([known]) => known === name)?.[1] ?? "no such header";
    }
    case "jsonpath":
      return jsonValue(condition, tested);
    default:
      return undefined;
  }
}

/**
 * Returns, as text, the first value that the JSONPath of a condition finds, or `no such value`. If
 * the condition tests the number of values, returns that number instead, such as `2 values`.
 * Returns undefined if the body is not JSON.
 */
function jsonValue(
  { expression, count }: Extract<Condition, { type: "jsonpath" }>,
  tested: TestedResponse,
): string | undefined {
  try {
    if (tested.json === undefined) return undefined;
    const values = [...findJsonPath(expression)(tested)];
    if (count !== undefined) return plural(values.length, "value");
    return values.length === 0 ? "no such value" : asText(values[0]);
  } catch {
    return undefined;
  }
}
