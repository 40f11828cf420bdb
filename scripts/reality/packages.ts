import { runTool } from "./service.ts";

/** Installs the given Debian packages unless all of them are already installed. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  const query = new Deno.Command("dpkg-query", {
    args: ["-W", ...packages],
    stdout: "null",
    stderr: "null",
  });
  if ((await query.output()).success) return;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await runTool("apt-get", ["update", "-qq"]);
  await runTool("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
    env,
  });
}

/**
 * Installs packages from npm in `folder`, with exact versions: `["sqlpad@3.1.0"]`. `overrides`
 * contains versions of their dependencies, by name.
 */
export async function installFromNpm(
  folder: string,
  packages: readonly string[],
  overrides: Readonly<Record<string, string>> = {},
): Promise<void> {
  Deno.writeTextFileSync(`${folder}/package.json`, JSON.stringify({ overrides }));
  const options = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
  await runTool("npm", ["install", ...options, ...packages], { cwd: folder });
}

/**
 * Installs packages from PyPI in the virtual environment `folder/venv`, with exact versions:
 * `["wiki==0.13.0"]`.
 */
export async function installFromPyPi(folder: string, packages: readonly string[]): Promise<void> {
  await runTool("python3", ["-m", "venv", `${folder}/venv`]);
  await runTool(`${folder}/venv/bin/pip`, ["install", "--quiet", ...packages]);
}
