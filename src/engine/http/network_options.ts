import type { HttpDefaults } from "../../plan/schema/http.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

/** How connections are made. Plain data: it can be sent to a worker. */
export interface NetworkOptions {
  readonly version: "auto" | "http1" | "http2";
  /** Whether a connection serves more than one request. */
  readonly keepAlive: boolean;
  /** Where to connect instead: `name` or `name:port` → `ip` or `ip:port`. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  readonly limits: Limits;
}

/** How TLS connections are made; certificates and keys are PEM texts. */
export interface TlsOptions {
  readonly insecureSkipVerify: boolean;
  /** Authorities to trust beside the system's. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The name to ask for and to verify, instead of the host's. */
  readonly serverName: string | undefined;
}

/** The options that a plan's `defaults.http` asks for; `read` gives the text of a file it names. */
export function networkOptions(
  http: HttpDefaults,
  read: (path: string) => string,
): NetworkOptions {
  const { tls = {} } = http;
  const text = (path: string | undefined) => path === undefined ? undefined : read(path);
  return {
    version: http.version ?? "auto",
    keepAlive: http.keep_alive ?? true,
    hosts: http.hosts ?? {},
    tls: {
      insecureSkipVerify: tls.insecure_skip_verify ?? false,
      ca: text(tls.ca_file),
      cert: text(tls.cert_file),
      key: text(tls.key_file),
      serverName: tls.server_name,
    },
    limits: DEFAULT_LIMITS,
  };
}
