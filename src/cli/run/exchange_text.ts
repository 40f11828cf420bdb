import { safeText } from "../../base/safe_text.ts";
import { decodeContent } from "../../engine/http/content.ts";
import type { Outgoing, Reply } from "../../engine/sender.ts";
import { bytes, time } from "../../report/text/units.ts";
import type { Redactor } from "../../base/redactor.ts";

/** Characters of a body that are shown. */
const MOST = 10_000;
const TEXTUAL = /^(text\/|application\/([\w.+-]*(json|xml|javascript)|x-www-form-urlencoded))/;

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
  reply: Reply,
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

function outcome({ status, error, message, blockedMs, sendingMs, waitingMs, receivingMs }: Reply) {
  if (error) return `${error}: ${message}`;
  return `${status} in ${time(blockedMs + sendingMs + waitingMs + receivingMs)}`;
}

function answer(reply: Reply, trace: Trace): string[] {
  if (reply.bodySize === 0) return [];
  try {
    return bodyLines(decodeContent(reply), contentType(reply.headers), trace);
  } catch (error) {
    return [`(${(error as Error).message})`];
  }
}

function bodyLines(body: Uint8Array, type: string, { bodies, redact }: Trace): string[] {
  const told = `(${bytes(body.length)} of ${type || "unknown type"})`;
  if (!bodies || !TEXTUAL.test(type)) return [told];
  const text = redact(new TextDecoder().decode(body));
  const cut = text.length > MOST ? [`(${text.length - MOST} more characters)`] : [];
  return ["", ...text.slice(0, MOST).trimEnd().split(/\r?\n/), ...cut];
}

function contentType(headers: Outgoing["headers"]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].toLowerCase() ?? "";
}
