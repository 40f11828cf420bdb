import { assertEquals } from "@std/assert";

const SOURCES = new URL("../../src/convert/", import.meta.url);
/** Source of the warnings of `convert --verify`. */
const VERIFIED = new URL("../../src/cli/verify/verification_notes.ts", import.meta.url);
const DOC = new URL("../../docs/warnings.md", import.meta.url);

Deno.test("docs/warnings.md documents every warning of convert, and no other", () => {
  const code = [...sources(SOURCES), Deno.readTextFileSync(VERIFIED)].join("\n");
  const codes = [...code.matchAll(/(?:\bcode: |faultNote\()"([a-z-]+)"/g)].map(([, name]) => name);
  const documented = [...Deno.readTextFileSync(DOC).matchAll(/^\| `([a-z-]+)`/gm)].map(([, c]) =>
    c
  );
  assertEquals(codes.filter((name) => !documented.includes(name)), []);
  assertEquals(documented.filter((name) => !code.includes(`"${name}"`)), []);
});

function sources(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? sources(new URL(`${name}/`, folder))
      : [Deno.readTextFileSync(new URL(name, folder))]
  );
}
