import { cookieSource } from "./cookie.ts";
import { encodedSource } from "./encoded.ts";
import { headerSource } from "./header.ts";
import { htmlSource } from "./html.ts";
import { jsonSource } from "./json.ts";
import type { Source } from "./source_kinds.ts";
import type { SourceSearch } from "./source_search.ts";

/** Searches of all sources, in the order in which they run. */
export const SOURCES: Readonly<Record<Source, SourceSearch>> = {
  json: jsonSource,
  html: htmlSource,
  header: headerSource,
  cookie: cookieSource,
  encoded: encodedSource,
};
