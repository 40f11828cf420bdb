import { join } from "@std/path";
import { parseYaml } from "../../src/base/yaml.ts";
import { type Outcome, runCli } from "./cli.ts";

/**
 * One CLI case: a YAML file with a command line and its expected results. `$DIR` is replaced with a new
 * folder that contains `files`.
 */
export interface CaseFile {
  /** The command line after `rehearse`, one argument each. */
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Columns of the terminal. When absent, the outputs are not terminals. */
  readonly columns?: number;
  readonly exit: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Expected content of files in the folder afterwards; null: the file must not exist. */
  readonly leaves?: Readonly<Record<string, string | null>>;
}

/** Reads all cases under `root`, by name (path without extension). */
export function readCases(root: URL): Map<string, CaseFile> {
  const cases = new Map<string, CaseFile>();
  for (const folder of Deno.readDirSync(root)) {
    for (const file of Deno.readDirSync(new URL(`${folder.name}/`, root))) {
      const text = Deno.readTextFileSync(new URL(`${folder.name}/${file.name}`, root));
      cases.set(`${folder.name}/${file.name.replace(/\.yaml$/, "")}`, parseYaml(text) as CaseFile);
    }
  }
  return new Map([...cases].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs a case. The outcome contains `$DIR` instead of the folder's path. */
export async function runCase(
  { args, files = {}, stdin, columns, leaves = {} }: CaseFile,
): Promise<Outcome & { leaves: Record<string, string | null> }> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    const typed = args.map((arg) => arg.replaceAll("$DIR", folder));
    const { code, stdout, stderr } = await runCli(typed, { stdin, columns });
    const hide = (text: string) => text.replaceAll(folder, "$DIR");
    const left = Object.keys(leaves).map((name) => [name, readOrNull(join(folder, name))]);
    return { code, stdout: hide(stdout), stderr: hide(stderr), leaves: Object.fromEntries(left) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readOrNull(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
