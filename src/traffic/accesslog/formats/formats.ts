import type { LogFormat } from "../read/log_format.ts";
import { alb } from "./alb.ts";
import { caddy } from "./caddy.ts";
import { cloudfront } from "./cloudfront.ts";
import { combined } from "./combined.ts";
import { common } from "./common.ts";
import { iis } from "./iis.ts";
import type { NamedFormat } from "./named_format.ts";
import { nginxJson } from "./nginx_json.ts";
import { traefik } from "./traefik.ts";
import { vhostCombined } from "./vhost_combined.ts";

/**
 * All named formats. Detection tries them in this order. If equally many lines match several
 * formats, it chooses the first of them. Help, completions, messages and docs list the formats in
 * the same order.
 */
export const NAMED_FORMATS: Readonly<Record<string, NamedFormat>> = {
  vhost_combined: vhostCombined,
  combined,
  common,
  caddy,
  traefik,
  "nginx-json": nginxJson,
  alb,
  cloudfront,
  iis,
};

/** Values of `--log-format` that select a named format. */
export const FORMAT_NAMES: readonly string[] = Object.keys(NAMED_FORMATS);

/** Variants of all named formats, in the order in which they are tried. */
export const FORMATS: readonly LogFormat[] = Object.values(NAMED_FORMATS).flatMap(
  ({ variants }) => variants,
);
