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

/** Result of running a program. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Maximum run time of a program, in milliseconds. On some networks, an installation hangs. */
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

/** Result of starting and stopping a server. */
export interface Served {
  /** URL that the server printed, or undefined if it ended before it printed one. */
  readonly address: string | undefined;
  readonly code: number;
  readonly stderr: string;
}

/**
 * Starts a server, waits until it prints ` is at ` and its URL, sends a request to this URL, and
 * stops the server with SIGTERM. Also stops a server that is still running after three minutes.
 */
export async function serveAndStop(
  [program, ...args]: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Served> {
  const child = new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...options,
  }).spawn();
  const stderr = new Response(child.stderr).text();
  let stdout = "";
  let address: string | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    stdout += text;
    if (address !== undefined) continue;
    address = / is at (http:\S+)\s/.exec(stdout)?.[1];
    if (address === undefined) continue;
    await (await fetch(address)).body?.cancel();
    child.kill("SIGTERM");
  }
  const { code } = await child.status;
  return { address, code, stderr: await stderr };
}

/** Reports whether a program is installed. If it is not, prints that its checks are skipped. */
export async function isInstalled(...command: readonly string[]): Promise<boolean> {
  const isFound = await runProgram(command).then(({ code }) => code === 0, () => false);
  if (!isFound) console.log(`${command[0]} is not installed; its checks are skipped`);
  return isFound;
}
