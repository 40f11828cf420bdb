import { didYouMean } from "../../../base/nearest.ts";
import type { LogField } from "../read/log_fields.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import { chooseNotation, parseTimeLayout } from "./apache_pattern.ts";
import {
  ClientChoice,
  type DescribedFormat,
  findDurationUnit,
  parsePieces,
  refuseIncompleteLayout,
} from "./line_layout.ts";

const FIELDS: Readonly<Record<string, LogField>> = {
  remote_addr: "client",
  time_local: "time",
  time_iso8601: "time",
  msec: "time",
  request: "request",
  request_method: "method",
  request_uri: "target",
  uri: "path",
  document_uri: "path",
  args: "query",
  query_string: "query",
  status: "status",
  body_bytes_sent: "bytes",
  bytes_sent: "bytes",
  request_time: "duration",
  http_referer: "referer",
  http_user_agent: "agent",
  host: "host",
  http_host: "host",
  server_name: "host",
  http_x_forwarded_for: "forwarded",
  http_x_real_ip: "forwarded",
  http_cf_connecting_ip: "forwarded",
  http_true_client_ip: "forwarded",
};

const TIMES: Readonly<Record<string, TimeNotation>> = {
  time_local: "clf",
  time_iso8601: "iso",
  msec: "epoch",
};

/** Matches a format string, after the beginning of a directive and the kind of escapes, if any. */
const VALUE = /^(\s*log_format\s+\S+\s+)?(?:escape=(default|json|none)\s+)?(.*)$/s;
/** Matches a string of a directive, or of a value with several lines. */
const STRING = /(['"])((?:\\.|(?!\1).)*)\1/gs;

/** Matches the beginning of a whole URL. Without it, the URL is a target in absolute form. */
const ORIGIN =
  /\$scheme:\/\/\$(?:host|http_host|server_name)(?::\$server_port)?(?=\$(?:request_)?uri)/g;

/** Matches a variable, such as `$status` or `${status}`, or a timestamp with a layout, `%{…}t`. */
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))|%\{([^}]+)\}t/g;

/**
 * Parses a `log_format` directive of nginx: all of it, its value if that has several lines, or its
 * value without the quotes of the configuration file, but with its escape sequences, such as `\t`.
 * The value may start with `escape=json` or `escape=none`. As an extension, `%{LAYOUT}t` is a
 * timestamp with a strftime or Go layout. The parsed format skips the values of unknown variables.
 * If `client` is given, it is the variable that identifies the client. Throws `UsageError` if the
 * format has no such variable, or if a layout is not supported.
 */
export function parseNginxPattern(text: string, client?: string): DescribedFormat {
  const [, directive, escape, rest] = VALUE.exec(text)!;
  const written = directive === undefined && !rest.trim().includes("\n")
    ? rest
    : Array.from(rest.replace(/^\s*#.*$/gm, "").matchAll(STRING), ([, , part]) => part).join("");
  const format = written.replace(ORIGIN, "")
    .replace(/\\(["'\\t])/g, (_, char) => char === "t" ? "\t" : char);
  const variables = [...format.matchAll(VARIABLE)];
  const names = variables.map(([, inBraces, bare]) => inBraces ?? bare);
  const literals = [""];
  let done = 0;
  for (const { 0: variable, index } of variables) {
    literals[literals.length - 1] = format.slice(done, index);
    literals.push("");
    done = index + variable.length;
  }
  literals[literals.length - 1] = format.slice(done);
  const layout = variables.find(([, , , layout]) => layout !== undefined)?.[3];
  const whole = layout === undefined ? undefined : parseTimeLayout(layout);
  if (whole !== undefined) refuseIncompleteLayout(whole, `%{${layout}}t`);
  const time = whole === undefined
    ? { time: TIMES[names.find((name) => TIMES[name] !== undefined) ?? "time_local"] }
    : chooseNotation(whole);
  const choice = client === undefined ? undefined : new ClientChoice(client, names);
  const fields = variables.map(([, , , own], i): LogField | undefined => {
    if (own !== undefined) return own === layout ? "time" : undefined;
    const field = choice === undefined
      ? FIELDS[names[i]]
      : choice.fieldOf(names[i], FIELDS[names[i]]);
    return field === "time" && layout !== undefined ? undefined : field;
  });
  return {
    pattern: parsePieces(literals, fields, time, "-"),
    ...time,
    escapes: escape === "json" || escape === "none" ? escape : "log",
    durationUnit: findDurationUnit(literals, fields, 1_000),
    unusedNames: names.filter((name, i) => name !== undefined && fields[i] === undefined)
      .map((name) => `$${name}${suggestion(name, names)}`),
  };
}

/**
 * Returns a hint in parentheses if an unknown variable `name` resembles one that is not among
 * `used`. Otherwise, returns an empty string.
 */
function suggestion(name: string, used: readonly string[]): string {
  const hint = name in FIELDS
    ? ""
    : didYouMean(name, Object.keys(FIELDS).filter((known) => !used.includes(known)));
  return hint && ` (${hint})`;
}
