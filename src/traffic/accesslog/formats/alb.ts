import { parseLayout } from "../patterns/line_layout.ts";
import { PatternSplitter } from "../read/pattern_splitter.ts";
import type { NamedFormat } from "./named_format.ts";

const LAYOUT =
  "<> <time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
  '"<request>" "<agent>" ';

/** Access log of an AWS Application Load Balancer. */
export const alb: NamedFormat = {
  writtenBy: "AWS Application Load Balancer",
  sample:
    "https 2026-11-21T10:00:00.186641Z app/shop/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 " +
    '0.000 0.001 0.000 200 200 34 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  variants: [{
    name: "alb",
    time: "iso",
    escapes: "log",
    durationUnit: 1_000,
    clientHasPort: true,
    splitter: () => new PatternSplitter(parseLayout(LAYOUT, "iso")),
  }],
};
