import { W3cSplitter } from "../read/w3c_splitter.ts";
import type { NamedFormat } from "./named_format.ts";

/** Default columns of a log that has no `#Fields:` line. */
const COLUMNS =
  "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) " +
  "cs(Referer) sc-status sc-substatus sc-win32-status time-taken";

/** Log of Microsoft IIS: the W3C extended format, separated by spaces. */
export const iis: NamedFormat = {
  writtenBy: "Microsoft IIS, WebLogic and others (W3C extended, with `#Fields:`)",
  sample: "2026-11-21 10:00:00 10.0.0.1 GET /cart id=7 443 - 203.0.113.7 curl/8.5 - 200 0 0 2",
  variants: [{
    name: "iis",
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
    hasDirectives: true,
    hasFieldNames: true,
    splitter: (client) => new W3cSplitter(" ", COLUMNS, client),
  }],
};
