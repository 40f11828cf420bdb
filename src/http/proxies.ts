import { InputError } from "../base/errors.ts";
import { isLoopbackHost } from "../base/host_header.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { decodePercent } from "../base/string_escapes.ts";
import type { Origin } from "./sender.ts";

/** Maximum size of a proxy's response to CONNECT, in characters. */
export const MAX_PROXY_HEAD = 16 * 1024;

/** An HTTP proxy. */
export interface Proxy {
  readonly hostname: string;
  readonly port: number;
  /**
   * Value of the `Proxy-Authorization` header (Basic), or undefined if the URL has no user name.
   */
  readonly authorization: string | undefined;
}

/**
 * Proxy that an environment variable specifies, but that is not supported. Only requests that need
 * this proxy fail.
 */
export interface UnsupportedProxy {
  /** Name of the environment variable that contains the URL of the proxy. */
  readonly source: string;
  readonly problem: string;
}

/** Proxies of a run, as plain data that can be sent to a worker. */
export interface Proxies {
  /** Proxy for `http` URLs. */
  readonly http: Proxy | UnsupportedProxy | undefined;
  /** Proxy for `https` URLs. */
  readonly https: Proxy | UnsupportedProxy | undefined;
  /** Entries of `NO_PROXY`: names, suffixes, IP addresses and networks, in lower case. */
  readonly except: readonly string[];
  /** True if requests to this machine use the proxy too. */
  readonly forLoopback: boolean;
}

/**
 * Returns the proxies that a plan (`defaults.http.proxy`) or the environment specifies, or
 * undefined if they specify none. Throws InputError if the URL of the plan's proxy is invalid.
 */
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
  const { username, password, hostname, port } = url;
  const [user, secret] = [username, password].map((text) => decodePercent(text) ?? text);
  const bytes = new TextEncoder().encode(`${user}:${secret}`);
  return {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? 80 : Number(port),
    authorization: username === "" ? undefined : `Basic ${bytes.toBase64()}`,
  };
}

/**
 * Returns the proxy for requests to `origin`, or undefined if they are sent directly. A proxy from
 * the environment is not used for requests to this machine. Throws InputError if the proxy is not
 * supported.
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

/**
 * Reports whether an entry of `NO_PROXY` covers a host and port. An entry is a name, a suffix, an
 * address or a network, optionally with a port.
 */
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

/** Reports whether an IPv4 address is in a network such as `10.0.0.0/8`. */
function isInNetwork(host: string, network: string): boolean {
  const [base, bits] = network.split("/");
  const [address, start] = [ipv4(host), ipv4(base)];
  if (address === undefined || start === undefined || !/^\d+$/.test(bits)) return false;
  const size = 2 ** (32 - Math.min(32, Number(bits)));
  return Math.floor(address / size) === Math.floor(start / size);
}

function ipv4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  return text.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
}
