import { BlockList, isIP, isIPv6 } from "node:net";
import { InputError } from "../base/errors.ts";
import { durationMs } from "../base/format.ts";
import { isLoopbackHost } from "../base/host_header.ts";
import { safeSnippet } from "../base/safe_text.ts";
import type { HttpDefaults } from "../plan/values/http.ts";
import type { Origin } from "./sender.ts";
import { basic } from "./url.ts";

export interface Proxy {
  readonly hostname: string;
  readonly port: number;
  /** Value of the `Proxy-Authorization` header (Basic). Undefined without a user name. */
  readonly authorization: string | undefined;
}

/** Proxy of the environment that is not supported. Requests that need it fail. */
export interface UnsupportedProxy {
  readonly source: string;
  readonly problem: string;
}

/** Proxies of a run, as plain data that can be sent to a worker. */
export interface Proxies {
  readonly http: Proxy | UnsupportedProxy | undefined;
  readonly https: Proxy | UnsupportedProxy | undefined;
  /** Entries of `NO_PROXY`: names, suffixes, IP addresses and networks, in lower case. */
  readonly except: readonly string[];
  readonly forLoopback: boolean;
}

/** Returns the proxies of the plan or the environment. Throws InputError for an invalid one. */
export function readProxies(
  planned: string | false | undefined,
  readEnv: (name: string) => string | undefined,
): Proxies | undefined {
  if (planned === false) return undefined;
  if (planned !== undefined) {
    const proxy = parseProxy(planned, "defaults.http.proxy");
    return { http: proxy, https: proxy, except: [], forLoopback: true };
  }
  const read = (name: string) => readEnv(name) || readEnv(name.toLowerCase()) || undefined;
  const [http, https] = ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => {
    const url = read(name);
    return url === undefined ? undefined : proxyOrProblem(url, name);
  });
  if (http === undefined && https === undefined) return undefined;
  const except = (read("NO_PROXY") ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  return { http, https, except: except.filter((entry) => entry !== ""), forLoopback: false };
}

function proxyOrProblem(url: string, name: string): Proxy | UnsupportedProxy {
  try {
    return parseProxy(url, name);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { source: name, problem: error.message };
  }
}

function parseProxy(text: string, source: string): Proxy {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url?.protocol !== "http:" || url.hostname === "") {
    // Without the user name and password.
    const shown = url === null ? "" : ` ${safeSnippet(`${url.protocol}//${url.host}`)}`;
    throw new InputError(
      `cannot use the proxy${shown}: only HTTP proxies are supported; expected a URL such as ` +
        "http://proxy.example:3128",
      { source },
    );
  }
  const { username, hostname, port } = url;
  return {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? 80 : Number(port),
    authorization: username === "" ? undefined : basic(url),
  };
}

/**
 * Undefined if requests to `origin` are sent directly, as those to this machine with a proxy from
 * the environment. Throws InputError if the proxy is not supported.
 */
export function proxyFor(
  { secure, host, port }: Origin,
  proxies: Proxies | undefined,
): Proxy | undefined {
  const proxy = secure ? proxies?.https : proxies?.http;
  if (proxies === undefined || proxy === undefined) return undefined;
  const name = host.toLowerCase();
  if (!proxies.forLoopback && isLoopbackHost(name)) return undefined;
  if (proxies.except.some((entry) => isExcept(entry, name, port))) return undefined;
  if (!("problem" in proxy)) return proxy;
  throw new InputError(proxy.problem, { source: proxy.source });
}

function isExcept(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = entry, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const plain = name.replace(/^\[(.*)\]$/, "$1").replace(/^\*(?=\.)/, "");
  if (plain.includes("/")) return isInNetwork(host, plain);
  return plain.startsWith(".")
    ? host.endsWith(plain)
    : host === plain || host.endsWith(`.${plain}`);
}

/** Reports whether an IP address is in a network such as `10.0.0.0/8`. */
function isInNetwork(host: string, network: string): boolean {
  const [base, bits] = network.split("/");
  const list = new BlockList();
  try {
    list.addSubnet(base, Number(bits), isIPv6(base) ? "ipv6" : "ipv4");
    return isIP(host) !== 0 && list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
  } catch {
    return false; // The entry is not a network.
  }
}

/** Connection options, as plain data that can be sent to a worker. */
export interface NetworkOptions {
  readonly version: "auto" | "http1" | "http2";
  readonly keepAlive: boolean;
  /** Timeout for opening a connection, in ms. Absent if only the timeout of the request applies. */
  readonly connectTimeoutMs?: number;
  readonly proxies?: Proxies;
  /** Addresses that override DNS. Maps `name` or `name:port` to `ip`, `ip:port` or `unix:PATH`. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  readonly limits: Limits;
}

/** TLS options. Certificates and keys are PEM text. */
export interface TlsOptions {
  readonly insecureSkipVerify: boolean;
  /** Authority to trust. Deno's sockets also trust the default ones, but Node's do not. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Server name for SNI and certificate verification. Undefined means the host of the URL. */
  readonly serverName: string | undefined;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  readonly maxVersion?: "TLSv1.2" | "TLSv1.3";
}

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/;
const KEY = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * Returns the connection options for `defaults.http`. `read` returns the text of a file. Throws
 * `InputError` without the expected certificate or key, or with only one of them.
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

/** Size limits for a response, in bytes, above which it fails with `too_large`. */
export interface Limits {
  /** Limit of the status line and headers, and separately of the trailers. */
  readonly headers: number;
  /** Maximum size in bytes of a body that is kept. */
  readonly body: number;
}

/** Default limits: 1 MiB for headers (as in Go and k6) and 128 MiB for a body that is kept. */
export const DEFAULT_LIMITS: Limits = { headers: 1024 * 1024, body: 128 * 1024 * 1024 };
