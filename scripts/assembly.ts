/**
 * Compiles the log-line counter to WebAssembly, and writes it, encoded in base64, to a TypeScript
 * module. Also generates its tables from the TypeScript readers.
 * With --check, writes nothing and exits with 1 if a file is out of date.
 *
 *     deno run -A --no-lock scripts/assembly.ts [--check]
 */
import { assemblyTables } from "./assembly_tables.ts";

// The compiler is not a dependency of the tool: only this script downloads it.
const COMPILER = "npm:assemblyscript@0.28.20/asc";
const COUNT = "src/traffic/accesslog/count";
const TABLES = `${COUNT}/assembly/tables.ts`;
const FLAGS = ["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"];
/** The size of the memory, in pages of 64 KiB: up to the end of the chunk, and slack. */
const MEMORY = ["--initialMemory", "50", "--maximumMemory", "50"];

interface Result {
  readonly error: Error | null;
  readonly stderr: { toString(): string };
  readonly binary: Uint8Array | null;
}

const root = new URL("..", import.meta.url);
const tables = assemblyTables();
const generated: Record<string, string> = {
  [TABLES]: tables,
  [`${COUNT}/module.ts`]: moduleText(await compile()),
};
const stale = Object.entries(generated).filter(([path, text]) => read(path) !== text);
const isCheck = Deno.args.includes("--check");
for (const [path, text] of stale) {
  if (isCheck) {
    console.error(`${path}: out of date, run \`deno run -A --no-lock scripts/assembly.ts\``);
  } else {
    Deno.writeTextFileSync(new URL(path, root), text);
    console.log(`${path}: written`);
  }
}
if (isCheck && stale.length > 0) Deno.exit(1);

function moduleText(binary: Uint8Array & { toBase64(): string }): string {
  return `// deno-fmt-ignore-file
// Made by scripts/assembly.ts from count/assembly.

/** The log-line counter: a WebAssembly program of ${binary.length} bytes, encoded in base64. */
export const COUNTER_MODULE: string =
  "${binary.toBase64()}";
`;
}

async function compile(): Promise<Uint8Array & { toBase64(): string }> {
  const { main } = await import(COMPILER);
  let binary: Uint8Array | undefined;
  const { error, stderr }: Result = await main(
    [`${COUNT}/assembly/counter.ts`, "--outFile", "program.wasm", ...FLAGS, ...MEMORY],
    {
      readFile: (name: string) => name === TABLES ? tables : read(name),
      writeFile: (_: string, contents: Uint8Array) => void (binary = contents),
      listFiles: () => [],
    },
  );
  if (error !== null || binary === undefined) {
    console.error(stderr.toString());
    throw error;
  }
  return binary as Uint8Array & { toBase64(): string };
}

function read(name: string): string | null {
  try {
    return Deno.readTextFileSync(new URL(name, root));
  } catch {
    return null;
  }
}
