import { bytes, time } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { bodyText } from "../../http/body_text.ts";
import { decodeContent } from "../../http/content.ts";
import type { HttpResponse, HttpSession, Outgoing, Sender, Socket } from "../../http/sender.ts";

const EVERYTHING = { headers: true, body: true };

/** Wraps a sender. Passes each request and its response to `show` as text, with secrets hidden. */
export function tracedSender(
  sender: Sender,
  show: (text: string) => void,
  trace: Trace,
): Sender {
  let shown = 0;
  const traced = (session: HttpSession): HttpSession => ({
    async send(request, response) {
      const whole: Outgoing = { ...request, needs: EVERYTHING };
      await session.send(whole, response);
      show(exchangeText(++shown, whole, response, trace));
    },
    async openSocket(request, response) {
      const socket = await session.openSocket(request, response);
      const number = ++shown;
      show(exchangeText(number, request, response, trace, "ws"));
      return socket &&
        tracedSocket(
          socket,
          (mark, content, isText) =>
            show(messageText(`#${number} ${mark}`, content, isText, trace)),
        );
    },
    branch: () => traced(session.branch()),
    close: () => session.close(),
  });
  return { ...sender, open: (user) => traced(sender.open(user)) };
}

/** Shows a message of a WebSocket. `mark` is `>` if it was sent and `<` if it was received. */
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

/** Formats a message of a WebSocket. */
function messageText(
  mark: string,
  content: Uint8Array | string,
  isText: boolean,
  { bodies, redact }: Trace,
): string {
  if (!bodies || !isText) return `${mark} (message of ${bytes(content.length)})\n`;
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  const shown = redact(text).slice(0, MAX_BODY_CHARACTERS).trimEnd();
  return shown.split(/\r?\n/).map((line) => `${mark} ${safeText(line)}\n`).join("");
}

/** Maximum number of characters to print from a body. */
const MAX_BODY_CHARACTERS = 10_000;

/** Settings for printing requests and responses. */
export interface Trace {
  /** True to print bodies. Otherwise, only their sizes and types are printed. */
  readonly bodies: boolean;
  readonly redact: Redactor;
}

/**
 * Formats a request and its response. `>` marks the lines that were sent, and `<` the lines that
 * were received.
 */
function exchangeText(
  number: number,
  { method, origin, target, headers, body }: Outgoing,
  response: HttpResponse,
  trace: Trace,
  protocol: "http" | "ws" = "http",
): string {
  const scheme = origin.secure ? `${protocol}s` : protocol;
  const sent = body ? bodyLines(body, contentType(headers), trace) : [];
  const received = [
    outcome(response),
    ...response.headers.map(field),
    ...responseBody(response, trace),
  ];
  return [
    `#${number} ${method} ${scheme}://${origin.authority}${target}`,
    ...[...headers.map(field), ...sent].map((line) => `> ${line}`),
    ...received.map((line) => `< ${line}`),
  ].map((line) => safeText(trace.redact(line).trimEnd())).join("\n") + "\n\n";
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
  const text = redact(found);
  const hidden = text.length - MAX_BODY_CHARACTERS;
  const more = hidden > 0 ? [`(${hidden} more characters)`] : [];
  return ["", ...text.slice(0, MAX_BODY_CHARACTERS).trimEnd().split(/\r?\n/), ...more];
}

function contentType(headers: Outgoing["headers"]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].toLowerCase() ?? "";
}
