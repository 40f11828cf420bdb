import { InputError } from "../../base/errors.ts";
import type { HttpDefaults } from "../../plan/schema/http.ts";
import { DEFAULT_LIMITS, type Limits } from "./response_limits.ts";

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
  /** Authorities to trust as well. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The name to ask for and to verify, instead of the host's. */
  readonly serverName: string | undefined;
}

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/;
const KEY = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * The options that a plan's `defaults.http` asks for; `read` gives the text of a file that it names.
 * Throws `InputError` when that is no certificate or key, or one comes without the other.
 */
export function networkOptions(
  http: HttpDefaults,
  read: (path: string) => string,
): NetworkOptions {
  const { tls = {} } = http;
  const { cert_file: cert, key_file: key } = tls;
  if ((cert === undefined) !== (key === undefined)) {
    const message = "a client certificate needs its key: give both tls.cert_file and tls.key_file";
    throw new InputError(message, { source: (cert ?? key)! });
  }
  return {
    version: http.version ?? "auto",
    keepAlive: http.keep_alive ?? true,
    hosts: http.hosts ?? {},
    tls: {
      insecureSkipVerify: tls.insecure_skip_verify ?? false,
      ca: readPem(tls.ca_file, CERTIFICATE, "certificate", read),
      cert: readPem(cert, CERTIFICATE, "certificate", read),
      key: readPem(key, KEY, "private key", read),
      serverName: tls.server_name,
    },
    limits: DEFAULT_LIMITS,
  };
}

function readPem(
  path: string | undefined,
  shape: RegExp,
  what: string,
  read: (path: string) => string,
): string | undefined {
  if (path === undefined) return undefined;
  const text = read(path);
  if (shape.test(text)) return text;
  const message = `cannot use ${path}: it has no ${what} in PEM form (-----BEGIN …)`;
  throw new InputError(message, { source: path });
}
