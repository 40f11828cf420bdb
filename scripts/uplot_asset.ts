/**
 * Generates the module that contains the source of the chart library, which lets reports work
 * offline. With --check, writes nothing and exits with 1 if the module does not match the pinned
 * package.
 */
import { createRequire } from "node:module";
import { dirname, join } from "@std/path";

const PATH = "src/report/html/uplot_asset.ts";

const target = new URL(`../${PATH}`, import.meta.url);
const text = assetModule();
if (readOrNothing(target) === text) Deno.exit(0);
if (Deno.args.includes("--check")) {
  console.error(`${PATH}: out of date, run \`deno run -P=scripts scripts/uplot_asset.ts\``);
  Deno.exit(1);
}
Deno.writeTextFileSync(target, text);
console.log(`${PATH}: written`);

function assetModule(): string {
  const entry = createRequire(import.meta.url).resolve("uplot");
  const folder = join(dirname(entry), "..");
  const read = (path: string) => Deno.readTextFileSync(join(folder, path)).trim();
  const license = read("LICENSE").split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n");
  return `// deno-fmt-ignore-file
// Made by scripts/uplot_asset.ts from the npm package that deno.json pins. uPlot's license:
/*
${license}
 */

/** Script of the chart library uPlot, which defines the global variable \`uPlot\`. */
export const UPLOT_SCRIPT: string = ${JSON.stringify(read("dist/uPlot.iife.min.js"))};

/** Style sheet of the chart library uPlot. */
export const UPLOT_STYLE: string = ${JSON.stringify(read("dist/uPlot.min.css"))};
`;
}

function readOrNothing(path: URL): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
