/**
 * Prints the software bill of materials of a release (CycloneDX, JSON): every npm package in the
 * files that `deno task build` wrote to FOLDER (default: `dist`), with its checksum.
 *
 *     deno run --frozen -P=scripts scripts/release/sbom.ts [FOLDER] > release/sbom.cdx.json
 */
import config from "../../deno.json" with { type: "json" };

const [folder = new URL("../../dist", import.meta.url).pathname] = Deno.args;
const lock: { readonly npm: Readonly<Record<string, { readonly integrity: string }>> } = JSON.parse(
  Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url)),
);
const bundled = Deno.readTextFileSync(`${folder}/THIRD-PARTY.md`).matchAll(/^## (.+)@(.+)$/gm);
const components = bundled.map(
  ([, name, version]) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [{ alg: "SHA-512", content: integrityHex(lock.npm[`${name}@${version}`].integrity) }],
  }),
).toArray();

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
