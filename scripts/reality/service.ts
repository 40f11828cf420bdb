import { untilListening } from "../local_port.ts";

/** A server process that this script started. */
export interface Service {
  /** Ends the server and its child processes. */
  stop(): Promise<void>;
}

/** Starts a server in a separate process group and waits until it listens on 127.0.0.1. */
export async function startService(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string>; readonly port: number },
): Promise<Service> {
  const { cwd, env, port } = options;
  const process = new Deno.Command("setsid", {
    args: [...command],
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
    await untilListening(port, { attempts: 200, pauseMs: 100 });
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** Runs a program and waits until it ends. If it fails, throws an Error with its output. */
export async function runTool(program: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${program} ${args.join(" ")}\n${text(stdout)}${text(stderr)}`);
  return text(stdout);
}
