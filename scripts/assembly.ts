/**
 * Compiles src/traffic/accesslog/count/assembly, the line counter for access logs, to WebAssembly and generates a module with it.
 * With --check, exits with 1 if the module does not match its source.
 *
 *     deno run -A --no-lock scripts/assembly.ts [--check]
 */

const SOURCE = "src/traffic/accesslog/count/assembly/counter.ts";
const PATH = "src/traffic/accesslog/count/module.ts";
// Not a dependency of the tool: only this script downloads it.
const COMPILER = "npm:assemblyscript@0.28.20/asc";
const FLAGS = [
  ...["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"],
  // Pages of 64 KiB: up to RECORDS_END, plus one as slack for word-wide reads.
  ...["--initialMemory", "41", "--maximumMemory", "41"],
];

interface Result {
  readonly error: Error | null;
  readonly stderr: { toString(): string };
  readonly binary: Uint8Array | null;
}

const root = new URL("..", import.meta.url);
const target = new URL(PATH, root);
const text = await moduleText();
if (readOrNothing() === text) Deno.exit(0);
if (Deno.args.includes("--check")) {
  console.error(`${PATH}: out of date, run \`deno run -A --no-lock scripts/assembly.ts\``);
  Deno.exit(1);
}
Deno.writeTextFileSync(target, text);
console.log(`${PATH}: written`);

async function moduleText(): Promise<string> {
  const binary = await compiled();
  return `// deno-fmt-ignore-file
// Made by scripts/assembly.ts from count/assembly.

/** The counter of lines as WebAssembly, ${binary.length} bytes in base64. */
export const COUNTER_MODULE: string =
  "${binary.toBase64()}";
`;
}

async function compiled(): Promise<Uint8Array & { toBase64(): string }> {
  const { main } = await import(COMPILER);
  let binary: Uint8Array | undefined;
  const { error, stderr }: Result = await main([SOURCE, "--outFile", "counter.wasm", ...FLAGS], {
    readFile: read,
    writeFile: (_: string, contents: Uint8Array) => void (binary = contents),
    listFiles: () => [],
  });
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

function readOrNothing(): string | undefined {
  try {
    return Deno.readTextFileSync(target);
  } catch {
    return undefined;
  }
}
