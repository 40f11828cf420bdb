import { ClfSplitter } from "../read/clf_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import type { NamedFormat } from "./named_format.ts";

/**
 * The combined format (`%h %l %u %t "%r" %>s %b`, followed by the referer and user agent). Lines in
 * the common format, which lack the last two fields, also match.
 */
export const COMBINED: LogFormat = {
  name: "combined",
  time: "clf",
  escapes: "log",
  durationUnit: 1,
  splitter: () => new ClfSplitter(),
};

/** Default log format of nginx, and the one most often used with Apache. */
export const combined: NamedFormat = {
  writtenBy: "nginx, Apache",
  sample:
    '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  variants: [COMBINED],
};
