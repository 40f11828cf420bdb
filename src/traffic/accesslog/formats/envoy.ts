import { type NamedFormat, textVariant } from "./named_format.ts";

const START = '[<time>] "<request>" <status> <>';
const END = ' <bytes> <duration> <> "<forwarded>" "<agent>" "<>" "<host>" "';

/** Access log of Envoy, in the default format of Envoy, or of Istio before or since 1.9. */
export const envoy: NamedFormat = {
  writtenBy: "Envoy, Istio (default text formats)",
  sample: '[2026-11-21T10:00:00.310Z] "GET /cart?id=7 HTTP/1.1" 200 - 0 512 2 1 "203.0.113.7" ' +
    '"curl/8.5" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example" "10.0.0.1:80"',
  variants: [
    textVariant("envoy", `${START} "<>" "<>" <>${END}`, "iso", 1),
    textVariant("envoy", `${START} <> <> "<>" <>${END}`, "iso", 1),
    textVariant("envoy", `${START} <>${END}`, "iso", 1),
  ],
};
