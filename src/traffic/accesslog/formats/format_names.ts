/**
 * Values of `--log-format` that select a named format. Detection tries the formats in this order.
 * If several formats match the same number of lines, it chooses the first of them. Help,
 * completions, messages and docs list the formats in the same order.
 */
export const FORMAT_NAMES = [
  "vhost_combined",
  "combined",
  "common",
  "caddy",
  "traefik",
  "ecs",
  "gcp",
  "azure",
  "cloudflare",
  "akamai",
  "kong",
  "vercel",
  "node-json",
  "nginx-json",
  "json",
  "alb",
  "elb",
  "s3",
  "cloudfront",
  "iis",
  "haproxy",
  "envoy",
  "squid",
  "gin",
  "python",
  "rails",
  "logfmt",
] as const;

/** The name of a log format. */
export type FormatName = typeof FORMAT_NAMES[number];
