/**
 * Checks the language of comments, docstrings, messages, test names and docs. Prints each word that
 * the style guide rules out, with its replacement, and each line with a comment of more than 100
 * columns. Exits with 1 if it finds any. Given paths as arguments, checks only files whose paths
 * start with one of them.
 */
import { lintLanguage, wideComments } from "./language/lint.ts";

const root = new URL("..", import.meta.url);
/** Files that are not checked: generated files, the rules, and their test. */
const EXCLUDED =
  /^(scripts\/language\/rules\.ts|tests\/scripts\/language_test\.ts|src\/traffic\/accesslog\/count\/(module|assembly\/tables)\.ts)$/;

const files = [
  ...["src", "tests", "scripts", "docs", ".github"].flatMap(list),
  ...[...Deno.readDirSync(root)].filter(({ isFile }) => isFile).map(({ name }) => name),
].filter((path) => /\.(ts|md)$/.test(path) && !EXCLUDED.test(path))
  .filter((path) => Deno.args.length === 0 || Deno.args.some((start) => path.startsWith(start)));

let count = 0;
for (const path of files.sort()) {
  const source = Deno.readTextFileSync(new URL(path, root));
  const findings = [
    ...lintLanguage(path, source).map(({ line, word, instead }) =>
      `${line}: avoid "${word}": write ${instead}`
    ),
    ...(path.endsWith(".ts") ? wideComments(source) : []).map((line) =>
      `${line}: wrap this comment at 100 columns`
    ),
  ];
  for (const finding of findings) console.error(`${path}:${finding}`);
  count += findings.length;
}
console.log(`language: ${files.length} files, ${count} findings`);
Deno.exit(count > 0 ? 1 : 0);

function list(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) =>
    isDirectory ? list(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
