import { startProcess } from "../processes.ts";
import { sleep } from "./checks.ts";

/** An nginx that receives the load of a test. */
export interface Target {
  readonly port: number;
  /** Returns the times of all requests since the last `clear`, in Unix milliseconds. */
  times(): number[];
  /** Resolves when the first request arrives. */
  firstRequest(): Promise<void>;
  /** Discards the times of all requests so far. */
  clear(): void;
  /** Responds with status 500 from now on. */
  fail(): void;
  /** Responds with status 200 from now on. */
  succeed(): void;
  stop(): Promise<void>;
}

/** Starts an nginx on 127.0.0.1 with its files in `folder`. */
export async function startTarget(folder: string, port: number): Promise<Target> {
  await Deno.mkdir(folder, { recursive: true });
  // The worker is an unprivileged user.
  for (const path of [folder, folder.replace(/\/[^/]*$/, "")]) await Deno.chmod(path, 0o755);
  const log = `${folder}/access.log`;
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  log_format time '$msec';
  access_log ${log} time;
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      if (-f ${folder}/fail) { return 500; }
      return 200 "ok";
    }
  }
}`,
  );
  const child = startProcess(["nginx", "-c", `${folder}/nginx.conf`]);
  const times = () =>
    Deno.readTextFileSync(log).split("\n").slice(0, -1).map((line) => Number(line) * 1_000);
  return {
    port,
    times,
    async firstRequest() {
      const deadline = Date.now() + 120_000;
      while (Date.now() < deadline && times().length === 0) {
        await sleep(50);
      }
    },
    clear: () => Deno.truncateSync(log),
    fail: () => Deno.writeTextFileSync(`${folder}/fail`, ""),
    succeed: () => Deno.removeSync(`${folder}/fail`),
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}
