import { join } from "@std/path";
import { type Outcome, runCli, type World } from "./cli.ts";
import { TempFolder } from "./temp_folder.ts";

/** A new folder in which commands run. It is removed at the end of its scope. */
export class CliFolder extends TempFolder {
  /** Creates a folder with files. Values other than text are written as JSON. */
  constructor(files: Readonly<Record<string, unknown>> = {}) {
    super();
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** Writes a file. Content other than text is written as JSON. Returns the path. */
  write(name: string, content: unknown): string {
    const path = join(this.path, name);
    Deno.writeTextFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  read(name: string): string {
    return Deno.readTextFileSync(join(this.path, name));
  }

  // deno-lint-ignore no-explicit-any -- each file has its own members
  readJson(name: string): any {
    return JSON.parse(this.read(name));
  }

  /** Returns the names of the files in the folder, in alphabetical order. */
  names(): string[] {
    return Array.from(Deno.readDirSync(this.path), ({ name }) => name).sort();
  }

  /**
   * Runs a command. In the command line, which is split at spaces, and in further arguments, `./`
   * at the start of a word means this folder. In the outputs, it replaces the path of the folder.
   */
  async run(line: string, more: readonly string[] = [], world: World = {}): Promise<Outcome> {
    const words = [...line.split(" "), ...more];
    const args = words.map((word) => word.replace(/^\.(?=\/)/, this.path));
    const { code, stdout, stderr } = await runCli(args, world);
    const hide = (text: string) => text.replaceAll(this.path, ".");
    return { code, stdout: hide(stdout), stderr: hide(stderr) };
  }
}
