/**
 * Compiles the AssemblyScript programs to WebAssembly, and writes each, encoded in base64, to a
 * TypeScript module. Also generates the tables of the log-line counter from the TypeScript readers.
 * With --check, writes nothing and exits with 1 if a file is out of date.
 *
 *     deno run -A --no-lock scripts/assembly.ts [--check]
 */
import { assemblyTables } from "./assembly_tables.ts";

// The compiler is not a dependency of the tool: only this script downloads it.
const COMPILER = "npm:assemblyscript@0.28.20/asc";
const FLAGS = ["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"];

/** An AssemblyScript program, and the module to generate from it. */
interface Program {
  readonly source: string;
  readonly module: string;
  /** Name of the constant that the module exports. `content` describes its value. */
  readonly name: string;
  readonly content: string;
  /** Compiler options for the size of the memory. The sizes are in pages of 64 KiB. */
  readonly memory: readonly string[];
}

const COUNT = "src/traffic/accesslog/count";
const TABLES = `${COUNT}/assembly/tables.ts`;
const PROGRAMS: readonly Program[] = [
  {
    source: `${COUNT}/assembly/counter.ts`,
    module: `${COUNT}/module.ts`,
    name: "COUNTER_MODULE",
    content: "The log-line counter",
    // Up to the end of the chunk, and slack.
    memory: ["--initialMemory", "50", "--maximumMemory", "50"],
  },
  {
    source: "src/traffic/har/scan/assembly/scanner.ts",
    module: "src/traffic/har/scan/scanner_module.ts",
    name: "SCANNER_MODULE",
    content: "The HAR scanner",
    memory: ["--initialMemory", "2"],
  },
];

interface Result {
  readonly error: Error | null;
  readonly stderr: { toString(): string };
  readonly binary: Uint8Array | null;
}

const root = new URL("..", import.meta.url);
const tables = assemblyTables();
const generated: Record<string, string> = { [TABLES]: tables };
for (const program of PROGRAMS) {
  generated[program.module] = moduleText(program, await compile(program));
}
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

function moduleText(
  { source, name, content }: Program,
  binary: Uint8Array & { toBase64(): string },
): string {
  const folder = source.split("/").slice(-3, -1).join("/");
  return `// deno-fmt-ignore-file
// Made by scripts/assembly.ts from ${folder}.

/** ${content}: a WebAssembly program of ${binary.length} bytes, encoded in base64. */
export const ${name}: string =
  "${binary.toBase64()}";
`;
}

async function compile(
  { source, memory }: Program,
): Promise<Uint8Array & { toBase64(): string }> {
  const { main } = await import(COMPILER);
  let binary: Uint8Array | undefined;
  const { error, stderr }: Result = await main(
    [source, "--outFile", "program.wasm", ...FLAGS, ...memory],
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
