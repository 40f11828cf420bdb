/**
 * Updates the expected results of the command-line test cases in `testdata/cases`, the golden plans
 * of recordings and the k6 scripts to the current output:
 *
 *     deno task update
 */
import { quoted } from "../src/plan/print.ts";
import { readCases, runCase } from "../tests/support/case_file.ts";
import { goldensOf, goldenText } from "../tests/convert/har/golden.ts";
import { goldens, goldenScript } from "../tests/export/goldens.ts";

const root = new URL("../testdata/cases/", import.meta.url);

for (const [name, file] of readCases(root)) {
  const path = new URL(`${name}.yaml`, root);
  const given = Deno.readTextFileSync(path).split(/^(?=exit:|stdout:|stderr:|leaves:)/m)[0];
  const { code, stdout, stderr, leaves } = await runCase(file);
  const left = Object.entries(leaves).map(([key, text]) =>
    `  ${key}: ${text === null ? "null\n" : block(text, "    ")}`
  );
  const parts = [
    `${given.trimEnd()}\n`,
    `exit: ${code}\n`,
    stdout && `stdout: ${block(stdout, "  ")}`,
    stderr && `stderr: ${block(stderr, "  ")}`,
    left.length > 0 && `leaves:\n${left.join("")}`,
  ];
  Deno.writeTextFileSync(path, parts.filter(Boolean).join(""));
}

for (const set of ["labelled", "real"] as const) {
  for (const golden of goldensOf(set)) {
    Deno.mkdirSync(new URL(".", golden.golden), { recursive: true });
    Deno.writeTextFileSync(golden.golden, await goldenText(golden));
  }
}
for (const golden of goldens()) Deno.writeTextFileSync(golden.script, await goldenScript(golden));

/** Formats text as a YAML literal block, or in quotes if a block cannot represent it. */
function block(text: string, indent: string): string {
  if (!/^[\x20-\x7e\n\u2581-\u2588—–✓✗…→←├└│─]*$/.test(text) || text.startsWith("\n")) {
    return `${quoted(text)}\n`;
  }
  const body = text.replace(/\n$/, "").split("\n").map((line) => line && indent + line).join("\n");
  const keep = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  return `|${text.startsWith(" ") ? "2" : ""}${keep}\n${body}\n`;
}
