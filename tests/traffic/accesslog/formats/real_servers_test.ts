import { assertEquals, assertLess } from "@std/assert";
import { detectFormat, resolveFormats } from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import type { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { readLines } from "../../../support/read_lines.ts";

/** Folder with logs of real servers, and with the requests that a client sent to these servers. */
const FOLDER = new URL("../../../../testdata/logs/formats/sent/", import.meta.url);

/** A request as recorded by the client, with its time and the status of the response. */
interface Sent {
  readonly ms: number;
  readonly line: string;
  readonly agent?: string;
  readonly status: number;
}

/**
 * Each log file with its `--log-format` value (default: detected) and the part of a request that it
 * lacks.
 */
const LOGS: readonly [file: string, name?: string, missing?: "agent" | "escapes of the path"][] = [
  ["apache_common", undefined, "agent"],
  ["apache_combined"],
  ["apache_combined", '%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"'],
  ["apache_vhost_combined"],
  ["apache_timed", '%{msec}t %a \\"%r\\" %>s %b %{us}T \\"%{User-Agent}i\\"'],
  [
    "apache_piped",
    "%{%Y-%m-%dT%H:%M:%S%z}t|%a|%D|%>s|%m|%U%q|%{User-Agent}i",
    "escapes of the path",
  ],
  ["caddy"],
  ["nginx_json"],
  [
    "nginx_escape_json",
    'escape=json $time_iso8601 $remote_addr "$request" $status $request_time "$http_user_agent"',
  ],
  [
    "nginx_escape_none",
    "escape=none $msec|$request_method|$request_uri|$status|$request_time|$http_user_agent",
  ],
  [
    "nginx_bare",
    '[$time_local] $request_method $request_uri $status $request_time "$http_user_agent"',
  ],
];

for (const [file, name, missing] of LOGS) {
  Deno.test(`lines of ${file}, parsed as ${name ?? "the detected format"}, match the requests that the client sent`, () => {
    const log = Deno.readFileSync(new URL(`${file}.log`, FOLDER));
    const format = detectFormat(log, name === undefined ? undefined : resolveFormats(name))!;
    const lines = new TextDecoder().decode(log).trimEnd().split("\n");
    const logged = sentTo(file.split("_")[0]).filter((sent) => isLogged(file, sent));
    assertEquals(lines.length, logged.length);
    for (const [i, sent] of logged.entries()) {
      const found = readLine(`${lines[i]}\n`, format);
      // Servers log different parts of an invalid request.
      if (sent.status === 400) continue;
      if (found === undefined) throw new Error(`not read: ${lines[i]}`);
      const { ms, took, ...rest } = found;
      const expected = {
        request: missing === "escapes of the path" ? servedAs(sent.line) : withoutOrigin(sent.line),
        status: sent.status,
        agent: missing === "agent" ? undefined : sent.agent,
      };
      assertEquals(rest, expected);
      assertLess(Math.abs(ms - sent.ms), 2_000);
      assertLess(took, 1_000);
    }
  });
}

function sentTo(server: string): Sent[] {
  return JSON.parse(Deno.readTextFileSync(new URL(`${server}.json`, FOLDER)));
}

/** Reports whether the server logs a request. Caddy logs neither bad requests nor `OPTIONS *`. */
function isLogged(file: string, { line, status }: Sent): boolean {
  return file !== "caddy" || (status !== 400 && !line.startsWith("OPTIONS *"));
}

function withoutOrigin(line: string): string {
  const [method, target] = line.split(" ");
  return `${method} ${target.replace(/^http:\/\/[^/]+/, "")}`;
}

/**
 * Returns the request as Apache logs it for `%m %U%q`: the path is unescaped, and `/index.html`
 * replaces `/`.
 */
function servedAs(line: string): string {
  const [head, ...query] = withoutOrigin(line).split(/(?=\?)/);
  const bytes = head.replace(/%(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const latin = new TextEncoder().encode(head).length === head.length ? bytes : undefined;
  const path = latin === undefined
    ? head
    : new TextDecoder().decode(Uint8Array.from(latin, (char) => char.charCodeAt(0)));
  return path.replace(/ \/$/, " /index.html") + query.join("");
}

function readLine(line: string, format: LogFormat) {
  const found: ReturnType<typeof fields>[] = [];
  const add = (request: LogRequest) => void found.push(fields(request, format));
  readLines(new TextEncoder().encode(line), format, { collectors: [{ add }] });
  return found.at(0);
}

function fields(request: LogRequest, { escapes }: LogFormat) {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes.slice());
  const { bytes, from, to } = request.target;
  return {
    ms: request.timeMs,
    took: request.durationMs,
    request: `${text(request.method())} ${text(bytes.subarray(from, to))}`,
    status: request.status,
    agent: request.has("agent") ? unescaped(text(request.raw("agent")), escapes) : undefined,
  };
}

/**
 * Decodes a server's escape sequences, because `rehearse` reads the user agent without decoding it.
 */
function unescaped(text: string, escapes: LogFormat["escapes"]): string {
  if (escapes === "none") return text;
  if (escapes === "json") return JSON.parse(`"${text}"`);
  const plain = unescape(encodeURIComponent(text)).replace(
    /\\(?:x(..)|(.))/g,
    (_, hex, char) => hex === undefined ? char : String.fromCharCode(parseInt(hex, 16)),
  );
  return new TextDecoder().decode(Uint8Array.from(plain, (char) => char.charCodeAt(0)));
}
