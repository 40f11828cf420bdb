import { type NamedFormat, textVariant } from "./named_format.ts";

const LAYOUT = "<time> <~duration> <client> <>/<status> <bytes> <method> <target> <>";

/** Access log of Squid in its native format. */
export const squid: NamedFormat = {
  writtenBy: "Squid (native format)",
  sample:
    "1795255200.310    921 203.0.113.7 TCP_MISS/200 512 GET http://shop.example/cart?id=7 - " +
    "HIER_DIRECT/10.0.0.1 text/html",
  variants: [textVariant("squid", LAYOUT, "epoch", 1)],
};
