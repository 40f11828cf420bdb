import { InputError } from "../base/errors.ts";
import { durationMs } from "../base/format.ts";
import { type Proxies, readProxies } from "./proxies.ts";
import type { HttpDefaults } from "../plan/schema/http_defaults.ts";

/** Connection options, as plain data that can be sent to a worker. */
export interface NetworkOptions {
  readonly version: "auto" | "http1" | "http2";
  /** True if a connection may be used for more than one request. */
  readonly keepAlive: boolean;
  /** Timeout for opening a connection, in ms. Absent if only the timeout of the request applies. */
  readonly connectTimeoutMs?: number;
  /** Proxies to use. Absent if no proxy is configured. */
  readonly proxies?: Proxies;
  /** Addresses that override DNS. Maps `name` or `name:port` to `ip`, `ip:port` or `unix:PATH`. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  readonly limits: Limits;
}

/** TLS options. Certificates and keys are PEM text. */
export interface TlsOptions {
  readonly insecureSkipVerify: boolean;
  /**
   * Certificate authorities to trust; undefined for the default ones. Deno's sockets trust the
   * default ones as well, Node's sockets only these.
   */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Server name for SNI and certificate verification. Undefined means the host of the URL. */
  readonly serverName: string | undefined;
  /** Minimum TLS version. Absent means the minimum of the TLS library. */
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  /** Maximum TLS version. Absent means the maximum of the TLS library. */
  readonly maxVersion?: "TLSv1.2" | "TLSv1.3";
}

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/;
const KEY = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * Returns the connection options for a plan's `defaults.http`. `read` returns the text of the file
 * with a path that is written in the plan. Throws `InputError` if a file does not contain the
 * expected certificate or key, or if only one of `cert_file` and `key_file` is set.
 */
export function networkOptions(
  http: HttpDefaults,
  read: (path: string) => string,
  readEnv: (name: string) => string | undefined = () => undefined,
): NetworkOptions {
  const { tls = {}, connect_timeout: connectTimeout } = http;
  const proxies = readProxies(http.proxy, readEnv);
  const { cert_file: cert, key_file: key } = tls;
  if ((cert === undefined) !== (key === undefined)) {
    const message =
      "a client certificate needs its key: set both `tls.cert_file` and `tls.key_file`";
    throw new InputError(message, { source: (cert ?? key)! });
  }
  return {
    version: http.version ?? "auto",
    keepAlive: http.keep_alive ?? true,
    ...(connectTimeout !== undefined && { connectTimeoutMs: durationMs(connectTimeout) }),
    ...(proxies && { proxies }),
    hosts: http.hosts ?? {},
    tls: {
      insecureSkipVerify: tls.insecure_skip_verify ?? false,
      ca: readPem(tls.ca_file, CERTIFICATE, "certificate", read),
      cert: readPem(cert, CERTIFICATE, "certificate", read),
      key: readPem(key, KEY, "private key", read),
      serverName: tls.server_name,
      ...(tls.min_version && { minVersion: `TLSv${tls.min_version}` as const }),
      ...(tls.max_version && { maxVersion: `TLSv${tls.max_version}` as const }),
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
  const message = `cannot use ${path}: it contains no ${what} in PEM format (\`-----BEGIN …\`)`;
  throw new InputError(message, { source: path });
}

/**
 * Size limits for a response, in bytes. A response above a limit fails with the error kind
 * `too_large`.
 */
export interface Limits {
  /**
   * Maximum size in bytes of the status line and headers, including those of interim responses.
   * The same limit applies separately to trailers.
   */
  readonly headers: number;
  /**
   * Maximum size in bytes of a body that is kept. A body that is only counted has no size limit.
   */
  readonly body: number;
}

/** Default limits: 1 MiB for headers (as in Go and k6) and 128 MiB for a body that is kept. */
export const DEFAULT_LIMITS: Limits = { headers: 1024 * 1024, body: 128 * 1024 * 1024 };
