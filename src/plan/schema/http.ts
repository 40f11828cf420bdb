import { z } from "zod";
import {
  base64,
  countOrZero,
  duration,
  exactlyOne,
  exactNumberSchema,
  filePath,
  headers,
  jsonSchema,
  templateSchema,
} from "./values.ts";

const tls = z.strictObject({
  insecure_skip_verify: z.boolean().optional().describe("Accept any certificate (default: false)"),
  ca_file: filePath.optional().describe("PEM file of the certificate authorities to trust"),
  cert_file: filePath.optional().describe("PEM file of the client certificate"),
  key_file: filePath.optional().describe("PEM file of the client certificate's private key"),
  server_name: z.string().optional().describe(
    "TLS server name to send (SNI) and to verify (default: the host of the URL)",
  ),
});

/** Defaults for every request. */
export const httpDefaults = z.strictObject({
  base_url: templateSchema.meta({ kind: "base-url" }).optional().describe(
    "Base of relative URLs, such as `https://shop.example`",
  ),
  headers: headers.optional().describe("Headers of every request"),
  timeout: duration.optional().describe("Timeout of a whole request (default: 30s)"),
  follow_redirects: z.boolean().optional().describe("Follow 3xx responses (default: true)"),
  max_redirects: countOrZero.optional().describe("Maximum redirects per request (default: 10)"),
  version: z.enum(["auto", "http1", "http2"]).optional().describe(
    "HTTP version; `auto` negotiates it with ALPN (default: auto)",
  ),
  compression: z.boolean().optional().describe("Accept compressed responses (default: true)"),
  keep_alive: z.boolean().optional().describe("Reuse connections (default: true)"),
  cookies: z.boolean().optional().describe("Keep a cookie jar (RFC 6265) per VU (default: true)"),
  discard_response_bodies: z.boolean().optional().describe(
    "Read response bodies but do not keep them (default: false)",
  ),
  hosts: z.record(z.string(), z.string()).optional().describe(
    "Addresses to connect to instead of resolving a name: `name[:port]` → `ip[:port]`",
  ),
  tls: tls.optional().describe("TLS settings"),
});

export type HttpDefaults = z.infer<typeof httpDefaults>;

const multipartPart = z.strictObject({
  name: templateSchema.describe("Name of the part"),
  value: templateSchema.optional().describe("Text of the part"),
  file: filePath.optional().describe("File with the content of the part, relative to the plan"),
  base64: base64.optional().describe("Binary content of the part, as Base64"),
  filename: templateSchema.optional().describe("File name to send with the part"),
  content_type: z.string().optional().describe(
    "Content type of the part (default: `application/octet-stream` if it has a file name)",
  ),
}).meta(exactlyOne("value", "file", "base64"));

const formValue = z.union([templateSchema, exactNumberSchema, z.boolean()]);

/** The body of a request: text, or exactly one of the structured kinds. */
export const body = z.union([
  templateSchema,
  z.strictObject({
    json: jsonSchema.meta({
      description: "Value to send as JSON; `${…}` is replaced in its strings",
      kind: "json-template",
    }).optional(),
    form: z.union([
      z.record(z.string(), z.union([formValue, z.array(formValue)])),
      z.array(z.tuple([templateSchema, formValue])),
    ]).optional().describe("Fields of a URL-encoded form, as a map or as a list of pairs"),
    multipart: z.array(multipartPart).optional().describe("Parts of a `multipart/form-data` body"),
    file: filePath.optional().describe("File with the content of the body, relative to the plan"),
    base64: base64.optional().describe("Binary content of the body, as Base64"),
    content_type: z.string().optional().describe(
      "Content type (default: the type that matches the kind of body)",
    ),
  }).meta(exactlyOne("json", "form", "multipart", "file", "base64")),
]);

export type Body = z.infer<typeof body>;
export type MultipartPart = z.infer<typeof multipartPart>;
