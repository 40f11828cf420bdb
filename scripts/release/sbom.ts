/**
 * Prints the software bill of materials of a release (CycloneDX, JSON): every npm package that
 * deno.lock pins, with its checksum.
 *
 *     deno run --frozen -P=scripts scripts/release/sbom.ts > dist/sbom.cdx.json
 */
import config from "../../deno.json" with { type: "json" };

const lock: { readonly npm: Readonly<Record<string, { readonly integrity: string }>> } = JSON.parse(
  Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url)),
);
const components = Object.entries(lock.npm).map(
  ([key, { integrity }]) => {
    const id = key.replace(/_.*$/, ""); // Removes the peer dependencies that it was resolved with.
    const at = id.lastIndexOf("@");
    const [name, version] = [id.slice(0, at), id.slice(at + 1)];
    return {
      type: "library",
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      hashes: [{ alg: "SHA-512", content: integrityHex(integrity) }],
    };
  },
);

console.log(JSON.stringify(
  {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name: config.name, version: config.version },
      tools: [{ name: "deno", version: Deno.version.deno }],
    },
    components,
  },
  null,
  2,
));

function integrityHex(integrity: string): string {
  return Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex();
}
