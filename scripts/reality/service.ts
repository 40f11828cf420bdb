import { untilListening } from "../local_port.ts";

/** A server process started by `startService`. */
export interface Service {
  /** Ends the server and its child processes. */
  stop(): Promise<void>;
}

/**
 * Starts a server in a separate process group and waits until it listens on 127.0.0.1. Its output
 * goes to `server.log` in `cwd`. If it does not listen within two minutes, throws an Error with the
 * end of the log.
 */
export async function startService(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string>; readonly port: number },
): Promise<Service> {
  const { cwd, env, port } = options;
  const log = `${cwd}/server.log`;
  const process = new Deno.Command("setsid", {
    args: ["sh", "-c", 'exec "$@" >>"$0" 2>&1', log, ...command],
    cwd,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const end = () => new Deno.Command("kill", { args: ["--", `-${process.pid}`] }).outputSync();
  const interrupted = () => {
    end();
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", interrupted);
  const service = {
    async stop() {
      Deno.removeSignalListener("SIGINT", interrupted);
      end();
      await process.status;
    },
  };
  try {
    await untilListening(port, { attempts: 1200, pauseMs: 100 });
  } catch (error) {
    await service.stop();
    const tail = Deno.readTextFileSync(log).split("\n").slice(-20).join("\n");
    throw new Error(`${command.join(" ")} does not listen on port ${port}:\n${tail}`, {
      cause: error,
    });
  }
  return service;
}

/** Options for `runTool`. */
export interface ToolOptions {
  readonly cwd?: string;
  /** Environment variables, in addition to those of this process. */
  readonly env?: Record<string, string>;
  /** Text for the standard input (default: none). */
  readonly input?: string;
}

/**
 * Runs a program, waits until it ends and returns its output. If it fails, throws an Error with its
 * output.
 */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env, input = "" }: ToolOptions = {},
): Promise<string> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close());
  const { success, stdout, stderr } = await child.output();
  await written.catch(() => {}); // A program may end without reading its input.
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${program} ${args.join(" ")}\n${text(stdout)}${text(stderr)}`);
  return text(stdout);
}

/** Waits until `isReady` returns true. If it never does, throws an Error after two minutes. */
export async function until(isReady: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await isReady().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the application is not ready after two minutes");
}
