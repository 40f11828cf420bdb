import { ClfSplitter } from "../read/clf_splitter.ts";
import { COMBINED } from "./combined.ts";
import type { NamedFormat } from "./named_format.ts";

/** The combined format with a virtual host at the start of the line. */
export const vhostCombined: NamedFormat = {
  writtenBy: "Apache's `vhost_combined`",
  sample:
    'shop.example:443 203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  variants: [{
    ...COMBINED,
    name: "vhost_combined",
    splitter: () => new ClfSplitter("host"),
  }],
};
