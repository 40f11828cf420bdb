import { kindsOf } from "../../../plan/values/kinds_of.ts";
import type { LogFormat } from "../read/log_format.ts";
import { akamai } from "./akamai.ts";
import { alb } from "./alb.ts";
import { azure } from "./azure.ts";
import { caddy } from "./caddy.ts";
import { cloudflare } from "./cloudflare.ts";
import { cloudfront } from "./cloudfront.ts";
import { combined } from "./combined.ts";
import { common } from "./common.ts";
import { ecs } from "./ecs.ts";
import { elb } from "./elb.ts";
import { envoy } from "./envoy.ts";
import { flatJson } from "./json.ts";
import { gcp } from "./gcp.ts";
import { gin } from "./gin.ts";
import { haproxy } from "./haproxy.ts";
import { iis } from "./iis.ts";
import { kong } from "./kong.ts";
import { logfmt } from "./logfmt.ts";
import type { NamedFormat } from "./named_format.ts";
import { nginxJson } from "./nginx_json.ts";
import { nodeJson } from "./node_json.ts";
import { python } from "./python.ts";
import { rails } from "./rails.ts";
import { s3 } from "./s3.ts";
import { squid } from "./squid.ts";
import { traefik } from "./traefik.ts";
import { vercel } from "./vercel.ts";
import { vhostCombined } from "./vhost_combined.ts";

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
