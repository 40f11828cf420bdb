import { cookieSource } from "./cookie_source.ts";
import { encodedSource } from "./encoded_source.ts";
import { headerSource } from "./header_source.ts";
import { htmlSource } from "./html_source.ts";
import { jsonSource } from "./json_source.ts";
import type { Source } from "./source_kinds.ts";
import type { SourceSearch } from "./source_search.ts";

/**
 * The searches of all sources, in the order in which they run. If several sources contain a value,
 * the first one is preferred. For example, a cookie is preferred to a page, because the cookie jar
 * keeps the value even after the server stops writing it into links (`;jsessionid=…`).
 */
export const SOURCES: Readonly<Record<Source, SourceSearch>> = {
  json: jsonSource,
  cookie: cookieSource,
  html: htmlSource,
  header: headerSource,
  encoded: encodedSource,
};
