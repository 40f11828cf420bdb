import { join } from "@std/path";
import { parseYaml } from "../../src/base/yaml.ts";
import { type Outcome, runCli } from "./cli.ts";
import { TempFolder } from "./temp_folder.ts";

/**
 * A CLI test case: a YAML file with a command line and its expected results. `$DIR` is replaced
 * with the path of a new folder that contains `files`.
 */
export interface CaseFile {
  /** The command-line arguments after `rehearse`. */
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Width of the terminal in columns. When absent, the outputs are not terminals. */
  readonly columns?: number;
  readonly exit: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Expected contents of files in the folder after the command. Null if a file must not exist. */
  readonly leaves?: Readonly<Record<string, string | null>>;
}

/** Reads all cases under `root`, keyed by name (the path without its extension). */
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

/**
 * Runs the command of a test case with a new folder, whose path becomes `$DIR` in the result. The
 * member `leaves` of the result contains the text of each file that the case expects there, or null
 * if the file does not exist.
 */
export async function runCase(
  { args, files = {}, stdin, columns, leaves = {} }: CaseFile,
): Promise<Outcome & { leaves: Record<string, string | null> }> {
  using temp = new TempFolder();
  const folder = temp.path;
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  const typed = args.map((arg) => arg.replaceAll("$DIR", folder));
  const { code, stdout, stderr } = await runCli(typed, { stdin, columns, colors: false });
  const hide = (text: string) => text.replaceAll(folder, "$DIR");
  const left = Object.keys(leaves).map((name) => [name, readOrNull(join(folder, name))]);
  return { code, stdout: hide(stdout), stderr: hide(stderr), leaves: Object.fromEntries(left) };
}

function readOrNull(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
