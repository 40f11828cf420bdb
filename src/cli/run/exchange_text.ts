import { safeText } from "../../base/safe_text.ts";
import { contentText } from "../../engine/http/content_text.ts";
import { decodeContent } from "../../engine/http/content.ts";
import type { HttpResponse, Outgoing } from "../../engine/sender.ts";
import { bytes, time } from "../../report/text/units.ts";
import type { Redactor } from "../../base/redactor.ts";

/** Characters of a body that are shown. */
const MOST = 10_000;
const TEXTUAL = /^(text\/|application\/([\w.+-]*(json|xml|javascript)|x-www-form-urlencoded))/;
// deno-lint-ignore no-control-regex -- control characters that text does not have
const BINARY = /[\x00-\x08\x0e-\x1f]/;

/** How exchanges are shown. */
export interface Trace {
  /** Bodies too, not only their size and type. */
  readonly bodies: boolean;
  readonly redact: Redactor;
}

/** One exchange for people: `>` what was sent, `<` what came. */
export function exchangeText(
  number: number,
  { method, origin, target, headers, body }: Outgoing,
  reply: HttpResponse,
  trace: Trace,
): string {
  const scheme = origin.secure ? "https" : "http";
  const sent = body ? bodyLines(body, contentType(headers), trace) : [];
  const received = [outcome(reply), ...reply.headers.map(field), ...answer(reply, trace)];
  return [
    `#${number} ${method} ${scheme}://${origin.authority}${target}`,
    ...[...headers.map(field), ...sent].map((line) => `> ${line}`),
    ...received.map((line) => `< ${line}`),
  ].map((line) => safeText(trace.redact(line).trimEnd())).join("\n") + "\n\n";
}

/** A header as a line. The credentials of Basic authentication hold a password that base64 does not hide. */
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

function answer(reply: HttpResponse, trace: Trace): string[] {
  if (reply.bodySize === 0) return [];
  try {
    return bodyLines(decodeContent(reply), contentType(reply.headers), trace);
  } catch (error) {
    return [`(${(error as Error).message})`];
  }
}

function bodyLines(body: Uint8Array, type: string, { bodies, redact }: Trace): string[] {
  const found = bodies ? bodyText(body, type) : undefined;
  if (found === undefined) return [`(${bytes(body.length)} of ${type || "unknown type"})`];
  const text = redact(found);
  const cut = text.length > MOST ? [`(${text.length - MOST} more characters)`] : [];
  return ["", ...text.slice(0, MOST).trimEnd().split(/\r?\n/), ...cut];
}

/** The text of a body in its charset; undefined if it is not text. Without a type, its bytes decide. */
function bodyText(body: Uint8Array, type: string): string | undefined {
  if (type !== "") return TEXTUAL.test(type) ? contentText(body, type) : undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return BINARY.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function contentType(headers: Outgoing["headers"]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].toLowerCase() ?? "";
}
