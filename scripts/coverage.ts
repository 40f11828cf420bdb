/**
 * Prints the test coverage of `src` from the coverage profile in a folder (default: `coverage`).
 * Exits with 1 if the coverage is below the minimum:
 *
 *     deno task coverage
 */
import { removeIncompleteProfiles } from "./coverage_profiles.ts";

const MINIMUM = { branch: 85, line: 90 };

const folder = Deno.args[0] ?? "coverage";
const removed = await removeIncompleteProfiles(folder);
if (removed > 0) console.log(`${removed} incomplete profiles of ended processes excluded`);
const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["coverage", "--include=/src/", folder],
  env: { NO_COLOR: "1" },
}).output();
const table = new TextDecoder().decode(stdout);
if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
console.log(table);
const [, branch, line] = /^\| All files +\| +([\d.]+) \| +([\d.]+) \|/m.exec(table)!.map(Number);
console.log(
  `lines ${line}% (minimum ${MINIMUM.line}%), branches ${branch}% (minimum ${MINIMUM.branch}%)`,
);
Deno.exitCode = line >= MINIMUM.line && branch >= MINIMUM.branch ? 0 : 1;
