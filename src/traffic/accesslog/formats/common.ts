import { COMBINED } from "./combined.ts";
import type { NamedFormat } from "./named_format.ts";

/** The Common Log Format, which contains neither a referer nor a user agent. */
export const common: NamedFormat = {
  writtenBy: "Apache's `common` format, also used by many other servers",
  sample: '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512',
  variants: [{ ...COMBINED, name: "common" }],
};
