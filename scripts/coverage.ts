/**
 * Prints how much of src/ the tests ran, by the profile in a folder (`coverage` unless told), and
 * exits 1 below the floor:
 *
 *     deno task coverage
 */
const FLOOR = { branch: 85, line: 90 };

const folder = Deno.args[0] ?? "coverage";
const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["coverage", "--include=/src/", folder],
  env: { NO_COLOR: "1" },
}).output();
const table = new TextDecoder().decode(stdout);
if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
console.log(table);
const [, branch, line] = /^\| All files +\| +([\d.]+) \| +([\d.]+) \|/m.exec(table)!.map(Number);
console.log(
  `lines ${line} % (floor ${FLOOR.line} %), branches ${branch} % (floor ${FLOOR.branch} %)`,
);
Deno.exitCode = line >= FLOOR.line && branch >= FLOOR.branch ? 0 : 1;
