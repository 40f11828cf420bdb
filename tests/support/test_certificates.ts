const folder = new URL("../../testdata/tls/", import.meta.url);

/** Reads a certificate or key from `testdata/tls` as PEM text. */
export function pem(
  name: "ca.pem" | `${"server" | "client" | "self_signed"}.${"pem" | "key"}`,
): string {
  return Deno.readTextFileSync(new URL(name, folder));
}

/** Returns a certificate and key for a server on 127.0.0.1 or localhost. */
export function serverPair(
  name: "server" | "self_signed" = "server",
): Deno.TlsCertifiedKeyPem {
  return { cert: pem(`${name}.pem`), key: pem(`${name}.key`) };
}
