/** Counts the results of checks, and prints those that failed. */
export class CheckCounts {
  passed = 0;
  failed = 0;

  /** Counts a check. If it failed, prints its name and `details`. */
  check(name: string, isPassed: boolean, details = ""): void {
    if (isPassed) this.passed++;
    else this.failed++;
    if (!isPassed) console.log(`FAILED: ${name}\n${details}`);
  }
}

/** Result of a program. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Maximum duration of a program. On some networks, an installation never ends. */
const TIMEOUT_MS = 180_000;

/** Runs a program without standard input, for at most three minutes. */
export async function runProgram(
  [program, ...args]: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...options,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Reports whether a program is installed. If it is not, prints that its checks are skipped. */
export async function isInstalled(...command: readonly string[]): Promise<boolean> {
  const isFound = await runProgram(command).then(({ code }) => code === 0, () => false);
  if (!isFound) console.log(`${command[0]} is not installed; its checks are skipped`);
  return isFound;
}
