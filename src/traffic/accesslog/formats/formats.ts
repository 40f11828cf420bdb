import { kindsOf } from "../../../plan/values/schema_walk.ts";
import type { LogFormat } from "../read/log_format.ts";
import {
  akamai,
  alb,
  azure,
  cloudflare,
  cloudfront,
  elb,
  envoy,
  gcp,
  haproxy,
  kong,
  s3,
  traefik,
  vercel,
} from "./load_balancers.ts";
import { caddy, combined, common, iis, nginxJson, squid, vhostCombined } from "./web_servers.ts";
import { ecs, flatJson, gin, logfmt, nodeJson, python, rails } from "./applications.ts";
import type { NamedFormat } from "./named_format.ts";

/**
 * All named formats. Detection tries them in this order. If several formats match the same number
 * of lines, it chooses the first of them. Help, completions, messages and docs list the formats in
 * the same order.
 */
export const NAMED_FORMATS = {
  vhost_combined: vhostCombined,
  combined,
  common,
  caddy,
  traefik,
  ecs,
  gcp,
  azure,
  cloudflare,
  akamai,
  kong,
  vercel,
  "node-json": nodeJson,
  "nginx-json": nginxJson,
  json: flatJson,
  alb,
  elb,
  s3,
  cloudfront,
  iis,
  haproxy,
  envoy,
  squid,
  gin,
  python,
  rails,
  logfmt,
} as const satisfies Readonly<Record<string, NamedFormat>>;

/** The name of a log format. */
export type FormatName = keyof typeof NAMED_FORMATS;

/** Values of `--log-format` that select a named format. */
export const FORMAT_NAMES: readonly FormatName[] = kindsOf(NAMED_FORMATS);

/** Variants of all named formats, in the order in which they are tried. */
export const FORMATS: readonly LogFormat[] = FORMAT_NAMES.flatMap(
  (name) => NAMED_FORMATS[name].variants,
);
