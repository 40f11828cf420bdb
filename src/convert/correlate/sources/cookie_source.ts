import { percentDecode } from "../../../traffic/session/call_url.ts";
import { parseSetCookies } from "../../../traffic/session/set_cookies.ts";
import type { Located, SourceSearch } from "./source_search.ts";

/**
 * Searches a response's cookies for values that requests also send in other fields, such as the
 * values of double-submit cookies, which a page's script copies into requests.
 */
export const cookieSource: SourceSearch = {
  inBody: false,
  search({ call }, { sent }, { add }) {
    const cookies = parseSetCookies(call.exchange.response);
    if (cookies.length === 0) return;
    const seen = new Map<string, number>();
    for (const [cookie, text] of cookies) {
      const index = seen.get(cookie) ?? 0;
      seen.set(cookie, index + 1);
      const located = { type: "cookie", cookie, ...(index > 0 && { index }) } as const;
      const found = (value: string, located: Located) =>
        add({
          value,
          key: cookie,
          source: "cookie",
          by: "use",
          numeric: false,
          producer: call,
          located,
        });
      if (sent.sought.has(text)) found(text, located);
      const decoded = percentDecode(text, false)?.value;
      if (decoded !== undefined && sent.sought.has(decoded)) {
        found(decoded, { ...located, transform: ["url_decode"] });
      }
    }
  },
};
