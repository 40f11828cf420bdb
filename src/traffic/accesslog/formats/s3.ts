import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT =
  '<> <> [<time>] <client> <> <> <> <> "<request>" <status> <> <bytes> <> <duration> ' +
  '<> "<referer>" "<agent>"';

/** Server access log of Amazon S3. */
export const s3: NamedFormat = {
  writtenBy: "Amazon S3 (server access log)",
  sample:
    "79a59df900b949e55d96a1e698fbaced shop-bucket [21/Nov/2026:10:00:00 +0000] 203.0.113.7 - " +
    '3E57427F3EXAMPLE REST.GET.OBJECT cart "GET /cart?id=7 HTTP/1.1" 200 - 512 512 2 1 "-" ' +
    '"curl/8.5" -',
  variants: [textVariant("s3", LAYOUT, "clf", 1)],
};
