import { FORMATS, resolveFormats } from "../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";
import { createSplitter } from "../../src/traffic/accesslog/read/request_reader.ts";

/**
 * Format strings like those that users write, with every time notation and every combination of
 * request fields.
 */
export const USER_FORMATS = {
  piped: "$msec|$request_method|$uri$is_args$args|$status|$request_time|$http_user_agent",
  timed: '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent',
  bare: "$time_local|$request_method|$request_uri|$status",
  tabbed: "escape=json $time_iso8601\t$status\t$request_method\t$request_uri\t$args",
  labelled:
    'log=nginx-access-with-a-long-beginning $time_iso8601 request="$request" status=$status',
  late: '"$request" upstream_response_time=$upstream_response_time at $msec; $status',
  unquoted: "$time_iso8601 <$request> $status",
  apache: '%h %t \\"%r\\" %>s %{ms}T \\"%{User-Agent}i\\"',
  milliseconds: "%{msec}t %m %U %q %>s",
  dated: "%h %{%d.%m.%Y %H:%M:%S}t %m %U %s",
  spaced: '$time_iso8601 $remote_addr "$request" $status',
  stamped: '$time_local $remote_addr "$request" $status',
  apart: "%m|%{%Y-%m-%dT%H:%M:%S%z}t|%U|%q|%s|%T",
} as const;

/** Names and formats of all log formats whose lines have a fixed layout (`LineShape`). */
export const SHAPED: readonly (readonly [name: string, format: LogFormat])[] = [
  ...FORMATS.filter((format) => createSplitter(format).shape !== undefined)
    .map((format) => [format.name, format] as const),
  ...Object.values(USER_FORMATS).map((text) => [text, resolveFormats(text)[0]] as const),
];
