/** IPv6 without brackets. */
export function isLoopbackHost(host: string): boolean {
  return /(?:^|\.)localhost$|^::1$|^127(?:\.\d+){3}$/i.test(host);
}

/**
 * An IP address, `localhost` or `listenHost`. Any other name may be DNS rebinding: a web page whose
 * host name resolves to this machine.
 */
export function isTrustedHost(header: string | null, listenHost: string): boolean {
  const name = header === null ? undefined : URL.parse(`http://${header}`)?.hostname;
  if (name === undefined) return false;
  const isAddress = name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);
  return isAddress || name === "localhost" || name === listenHost.toLowerCase();
}

/** IPv6 with brackets. False for those that only private networks reach. */
export function isPublicHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (isLoopbackHost(name)) return false;
  if (name.includes(":")) return !/^(::1?$|f[cd]|fe[89ab])/.test(name);
  if (/^\d+(\.\d+){3}$/.test(name)) {
    return !/^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  }
  const last = name.split(".").at(-1)!;
  return name.includes(".") && !PRIVATE_DOMAINS.has(last) && !name.endsWith(".home.arpa");
}

/** Top-level domains that are reserved, or that only private networks use. */
const PRIVATE_DOMAINS: ReadonlySet<string> = new Set([
  "corp",
  "example",
  "home",
  "internal",
  "intranet",
  "invalid",
  "lan",
  "local",
  "localhost",
  "private",
  "test",
]);
