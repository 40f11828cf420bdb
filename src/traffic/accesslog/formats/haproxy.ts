import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT = '<client> [<time>] <> <> <>/<>/<>/<>/<duration> <status> <bytes> <> "<request>"';

/** HTTP log of HAProxy. Its timestamps have milliseconds and no zone. */
export const haproxy: NamedFormat = {
  writtenBy: "HAProxy (`option httplog`, `option httpslog`)",
  sample: "203.0.113.7:33317 [21/Nov/2026:10:00:00.655] www static/srv1 0/0/1/1/2 200 512 - - " +
    '---- 1/1/0/0/0 0/0 "GET /cart?id=7 HTTP/1.1"',
  variants: [textVariant("haproxy", LAYOUT, "clf", 1, { clientHasPort: true })],
};
