import { cookieSource } from "./cookie_source.ts";
import { encodedSource } from "./encoded_source.ts";
import { headerSource } from "./header_source.ts";
import { htmlSource } from "./html_source.ts";
import { jsonSource } from "./json_source.ts";
import type { Source } from "./source_kinds.ts";
import type { SourceSearch } from "./source_search.ts";

/** The searches of all sources, in the order in which they run. */
export const SOURCES: Readonly<Record<Source, SourceSearch>> = {
  json: jsonSource,
  html: htmlSource,
  header: headerSource,
  cookie: cookieSource,
  encoded: encodedSource,
};
