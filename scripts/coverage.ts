/**
 * Prints the test coverage of each folder in `src`, from the coverage profile in a folder (default:
 * `coverage`). Exits with 1 if the coverage of all files is below the minimum:
 *
 *     deno task coverage
 */

const MINIMUM = { lines: 90, branches: 85 };

const profile = Deno.args[0] ?? "coverage";
const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["coverage", "--lcov", "--include=/src/", profile],
}).output();
if (code !== 0) throw new Error(new TextDecoder().decode(stderr));

/** Numbers of lines and branches, and how many of them ran. The names are those of LCOV records. */
type Counts = Record<"LF" | "LH" | "BRF" | "BRH", number>;

const folders = new Map<string, Counts>();
let folder = "";
for (const line of new TextDecoder().decode(stdout).split("\n")) {
  const [, name, value] = /^(SF|LF|LH|BRF|BRH):(.*)$/.exec(line) ?? [];
  if (name === "SF") folder = /.*\/src\/([^/]+)\//.exec(value)![1];
  else if (name !== undefined) {
    for (const key of [folder, "all"]) {
      const counts = folders.get(key) ?? { LF: 0, LH: 0, BRF: 0, BRH: 0 };
      counts[name as keyof Counts] += Number(value);
      folders.set(key, counts);
    }
  }
}
const rates = [...folders].sort(([a], [b]) => a < b ? -1 : 1).map(([folder, counts]) => ({
  folder,
  lines: 100 * counts.LH / counts.LF,
  branches: 100 * counts.BRH / counts.BRF,
}));
console.log(`${"folder".padEnd(10)}  lines  branches`);
for (const { folder, lines, branches } of rates) {
  const [line, branch] = [lines, branches].map((rate) => `${rate.toFixed(1)}%`);
  console.log(`${folder.padEnd(10)} ${line.padStart(6)}  ${branch.padStart(8)}`);
}
const { lines, branches } = rates.find(({ folder }) => folder === "all")!;
console.log(`minimum of all files: lines ${MINIMUM.lines}%, branches ${MINIMUM.branches}%`);
Deno.exitCode = lines >= MINIMUM.lines && branches >= MINIMUM.branches ? 0 : 1;
