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
  insecure_skip_verify: z.boolean().optional().describe("accept any certificate"),
  ca_file: filePath.optional().describe("PEM file of the authorities to trust"),
  cert_file: filePath.optional().describe("PEM file of the client certificate"),
  key_file: filePath.optional().describe("PEM file of the client key"),
  server_name: z.string().optional().describe("name to ask for and to verify (SNI)"),
});

/** What every request starts from, unless it says otherwise. */
export const httpDefaults = z.strictObject({
  base_url: templateSchema.meta({ kind: "base-url" }).optional().describe(
    "what relative URLs are relative to",
  ),
  headers: headers.optional().describe("sent with every request"),
  timeout: duration.optional().describe("of one whole request (30s)"),
  follow_redirects: z.boolean().optional().describe("follow 3xx answers (true)"),
  max_redirects: countOrZero.optional().describe("most redirects of one request (10)"),
  version: z.enum(["auto", "http1", "http2"]).optional().describe("HTTP version (auto: by ALPN)"),
  compression: z.boolean().optional().describe("offer compressed answers (true)"),
  keep_alive: z.boolean().optional().describe("reuse connections (true)"),
  cookies: z.boolean().optional().describe("one RFC 6265 cookie jar per VU (true)"),
  discard_response_bodies: z.boolean().optional().describe("read bodies but keep none (false)"),
  hosts: z.record(z.string(), z.string()).optional().describe(
    "connect to another address: `name[:port]` → `ip[:port]`",
  ),
  tls: tls.optional(),
});

export type HttpDefaults = z.infer<typeof httpDefaults>;

const multipartPart = z.strictObject({
  name: templateSchema,
  value: templateSchema.optional(),
  file: filePath.optional(),
  base64: base64.optional(),
  filename: templateSchema.optional(),
  content_type: z.string().optional(),
}).meta(exactlyOne("value", "file", "base64"));

const formValue = z.union([templateSchema, exactNumberSchema, z.boolean()]);

/** A request's body: text, or exactly one of the structured kinds. */
export const body = z.union([
  templateSchema,
  z.strictObject({
    json: jsonSchema.meta({
      description: "sent as JSON; string leaves interpolate",
      kind: "json-template",
    }).optional(),
    form: z.union([
      z.record(z.string(), z.union([formValue, z.array(formValue)])),
      z.array(z.tuple([templateSchema, formValue])),
    ]).optional().describe("application/x-www-form-urlencoded, a map or a list of pairs"),
    multipart: z.array(multipartPart).optional().describe("multipart/form-data"),
    file: filePath.optional().describe("the content of a file, relative to the plan"),
    base64: base64.optional(),
    content_type: z.string().optional(),
  }).meta(exactlyOne("json", "form", "multipart", "file", "base64")),
]);

export type Body = z.infer<typeof body>;
export type MultipartPart = z.infer<typeof multipartPart>;
