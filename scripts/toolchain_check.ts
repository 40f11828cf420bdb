/**
 * Checks the files that other tools run or install, with these tools. Lints `.github`,
 * `action.yml`, the GitLab template, the Dockerfile and `install.ps1`. Runs the steps of the action
 * and of the GitLab job on the files that `deno task build` wrote, installs the npm package of
 * these files, and runs every command from it. Skips checks whose programs are not available.
 * Prints the number of checks.
 *
 *     deno run -A --no-lock scripts/toolchain_check.ts
 */
import { startDemo } from "../src/demo/server.ts";
import { checkAction, checkGitLab } from "./toolchain/ci_templates.ts";
import { lintFiles } from "./toolchain/linters.ts";
import { checkNpmPackage } from "./toolchain/npm_install.ts";
import { CheckCounts } from "./toolchain/report.ts";

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const cache = `${Deno.env.get("HOME")}/.cache/rehearse-toolchain`;
const counts = new CheckCounts();
const folder = await Deno.makeTempDir({ prefix: "rehearse-toolchain-" });
const demo = await startDemo({ port: 0, catchAll: true });
try {
  await lintFiles(root, cache, counts);
  const place = { root, folder: `${folder}/ci`, target: demo.origin };
  await Deno.mkdir(place.folder);
  await checkAction(place, counts);
  await checkGitLab(place, counts);
  await Deno.mkdir(`${folder}/npm`);
  await checkNpmPackage({ root, folder: `${folder}/npm`, target: demo.origin }, counts);
} finally {
  await demo.stop();
  await Deno.remove(folder, { recursive: true });
}
console.log(`toolchain check: ${counts.passed} passed, ${counts.failed} failed`);
Deno.exit(counts.failed === 0 ? 0 : 1);
