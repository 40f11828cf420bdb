import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT = "<time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
  '"<request>" "<agent>" ';

/** Access log of an AWS Classic Load Balancer. */
export const elb: NamedFormat = {
  writtenBy: "AWS Classic Load Balancer",
  sample: "2026-11-21T10:00:00.186641Z shop 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001048 " +
    '0.000057 200 200 0 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  variants: [textVariant("elb", LAYOUT, "iso", 1_000, { clientHasPort: true })],
};
