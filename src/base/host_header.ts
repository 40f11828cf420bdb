/**
 * Reports whether a host name or an IP address (IPv6 without brackets) refers to the loopback
 * interface, which other machines cannot reach.
 */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/**
 * Reports whether a local server may respond to a request with this `Host` header. The header must
 * contain an IP address, `localhost` or `listenHost`. Any other name may be a DNS rebinding attack:
 * a web page whose host name resolves to this machine.
 */
export function isTrustedHost(header: string | null, listenHost: string): boolean {
  const name = header === null ? undefined : URL.parse(`http://${header}`)?.hostname;
  if (name === undefined) return false;
  const isAddress = name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);
  return isAddress || name === "localhost" || name === listenHost.toLowerCase();
}
