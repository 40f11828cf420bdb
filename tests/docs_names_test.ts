import { assertEquals, assertStringIncludes } from "@std/assert";
import { basename, join } from "@std/path";

const ROOT = new URL("../", import.meta.url).pathname;
const FOLDERS = ["src", "scripts", "tests", "docs", "testdata"];

const paths = FOLDERS.flatMap((folder) => contentOf(join(ROOT, folder)));
const docs = [
  join(ROOT, "ARCHITECTURE.md"),
  join(ROOT, "CONTRIBUTING.md"),
  ...paths.filter((path) => basename(path) === "README.md" && !path.includes("/testdata/")),
];

function contentOf(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    return isDirectory ? [path, ...contentOf(path)] : [path];
  });
}

const fileNames = new Set(["main.ts", ...paths.map((path) => basename(path))]);
/** Names of files and folders without their extension, and all words of the sources. */
const known = new Set(paths.flatMap((path) => [
  basename(path).replace(/\..*$/, ""),
  ...path.endsWith(".ts") ? Deno.readTextFileSync(path).match(/[A-Za-z_]\w*/g) ?? [] : [],
]));

/** Returns the texts in `markdown` that are code: spans, and blocks without a language. */
function codeOf(markdown: string): string[] {
  const blocks = markdown.split(/^```/m);
  return blocks.flatMap((block, i) =>
    i % 2 === 0
      ? [...block.matchAll(/`([^`]+)`/g)].map(([, code]) => code)
      : block.startsWith("\n")
      ? block.split(/\s+/)
      : []
  );
}

/** Returns whether `code` names something that is not there. */
function isUnknown(code: string): boolean {
  const path = /^[\w-]+(?:\/[\w.-]+)+/.exec(code)?.[0];
  if (path === code) {
    const ends = [`/${path}`, `/${path}.ts`];
    return !ends.some((end) => paths.some((path) => path.endsWith(end)));
  }
  if (/^\w+\.ts$/.test(code)) return !fileNames.has(code);
  const [, name] = /^#?([A-Za-z]\w*)(\(\))?,?$/.exec(code) ?? [];
  return name !== undefined && /[a-z][A-Z][a-z]|[a-z]_[a-z]/.test(name) && !known.has(name);
}

for (const doc of docs) {
  Deno.test(`${doc.slice(ROOT.length)} names only files and identifiers that exist`, () => {
    const codes = codeOf(Deno.readTextFileSync(doc));
    assertEquals(codes.filter((code) => isUnknown(code)), []);
  });
}

/** What plans do not support, and what the row about it in docs/migrating-from-k6.md contains. */
const LIMITS: readonly [subject: string, reason?: string][] = [
  ["custom JavaScript"],
  ["`faker`"],
  ["`crypto.md5`"],
  ["`responseType` of a request"],
  ["`http.file()`", "the content of files is sent verbatim"],
  ["generated files"],
  ["response hooks"],
  ["`k6/net/grpc`, `k6/browser`, Redis"],
  ["`k6/experimental/streams`"],
];

Deno.test("docs/migrating-from-k6.md lists what plans do not support", () => {
  const rows = Deno.readTextFileSync(join(ROOT, "docs/migrating-from-k6.md")).split("\n")
    .filter((line) => line.startsWith("|"));
  for (const [subject, reason = "not supported"] of LIMITS) {
    assertStringIncludes(rows.find((row) => row.includes(subject)) ?? "", reason, subject);
  }
});
