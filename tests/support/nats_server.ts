import { freePort } from "../../scripts/local_port.ts";

/** Path of the `nats-server` program, or undefined if it is not installed. */
export const NATS_SERVER: string | undefined = ["/usr/sbin", "/usr/bin", "/usr/local/bin"]
  .map((folder) => `${folder}/nats-server`)
  .find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });

/** A NATS server for a test. */
export interface TestNats {
  /** Address as `HOST:PORT`. */
  readonly address: string;
  /** Kills the server and starts it again at the same address. */
  restart(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a NATS server on a free port of 127.0.0.1, with further arguments such as `--user`. */
export async function startNats(options: readonly string[] = []): Promise<TestNats> {
  const port = freePort();
  let child = await spawn(port, options);
  let isRunning = true;
  const kill = async () => {
    if (isRunning) child.kill("SIGKILL");
    isRunning = false;
    await child.status;
  };
  return {
    address: `127.0.0.1:${port}`,
    kill,
    async restart() {
      await kill();
      child = await spawn(port, options);
      isRunning = true;
    },
  };
}

async function spawn(port: number, options: readonly string[]): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(NATS_SERVER!, {
    args: ["-a", "127.0.0.1", "-p", String(port), ...options],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let text = "";
  const ready = Promise.withResolvers<void>();
  const read = async () => {
    for await (const bytes of child.stderr) {
      text += new TextDecoder().decode(bytes);
      if (text.includes("Server is ready")) ready.resolve();
    }
    ready.reject(new Error(`nats-server ended: ${text}`));
  };
  const reading = read();
  ready.promise.catch(() => {});
  reading.catch(() => {});
  await ready.promise;
  return child;
}
