/**
 * Writes a sample log for each log format in `scripts/samples/writers.ts`. With --check, writes
 * nothing and exits with 1 if a sample is out of date.
 *
 *     deno run -P=scripts scripts/make_samples.ts [--check]
 */
import { SAMPLE_REQUESTS } from "./samples/sample.ts";
import { WRITERS } from "./samples/writers.ts";

const FOLDER = new URL("../testdata/logs/samples/", import.meta.url);
const isCheck = Deno.args.includes("--check");
let stale = 0;
for (const [name, { head = [], line }] of Object.entries(WRITERS)) {
  const text = [...head, ...SAMPLE_REQUESTS.map(line)].map((line) => `${line}\n`).join("");
  const path = new URL(`${name}.log`, FOLDER);
  if (read(path) === text) continue;
  stale++;
  if (isCheck) console.error(`${path.pathname}: out of date, run scripts/make_samples.ts`);
  else Deno.writeTextFileSync(path, text);
}
console.log(
  `samples: ${Object.keys(WRITERS).length} logs, ${stale} ${isCheck ? "stale" : "written"}`,
);
Deno.exit(isCheck && stale > 0 ? 1 : 0);

function read(path: URL): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
