import { join } from "@std/path";
import { freePort, untilListening } from "../local_port.ts";

/**
 * A running nginx, which responds with JSON at `/json`, a cookie at `/login`, and 100 bytes at any
 * other path.
 */
export interface Nginx {
  readonly port: number;
  readonly tlsPort: number;
  /** Port for HTTP/2 over TLS. */
  readonly http2Port: number;
  /**
   * Returns the access log, in the combined format, with all requests so far. Needs a single worker
   * process. Throws NotFound unless the option `log` is set.
   */
  readLog(): Promise<string>;
  stop(): Promise<void>;
}

/** Options of `startNginx`. */
export interface NginxOptions {
  /** Number of worker processes (default: 1). */
  readonly workers?: number;
  /** True to write an access log (default: false). */
  readonly log?: boolean;
}

const JSON_BODY = JSON.stringify({ user: { id: 4711, name: "x".repeat(50) }, items: [1, 2, 3] });

/** Starts nginx on free ports of 127.0.0.1. Returns undefined if it is not installed. */
export async function startNginx(options: NginxOptions = {}): Promise<Nginx | undefined> {
  const prefix = Deno.makeTempDirSync({ prefix: "nginx-" });
  const ports = { port: freePort(), tlsPort: freePort(), http2Port: freePort() };
  const { port } = ports;
  const configuration = join(prefix, "nginx.conf");
  Deno.writeTextFileSync(configuration, nginxConf(ports, options));
  let process: Deno.ChildProcess;
  try {
    process = new Deno.Command("nginx", {
      args: ["-p", prefix, "-c", configuration, "-e", join(prefix, "error.log")],
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch (error) {
    Deno.removeSync(prefix, { recursive: true });
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  await untilListening(port, { attempts: 3_000, pauseMs: 20 });
  return {
    ...ports,
    async readLog() {
      // A worker logs a response before it sends the next one.
      await (await fetch(`http://127.0.0.1:${port}/unlogged`)).body?.cancel();
      return await Deno.readTextFile(join(prefix, "access.log"));
    },
    async stop() {
      process.kill("SIGTERM");
      await process.status;
      Deno.removeSync(prefix, { recursive: true });
    },
  };
}

/** Reports whether nginx is installed. */
export function nginxIsInstalled(): boolean {
  try {
    return new Deno.Command("nginx", { args: ["-v"], stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function nginxConf(
  { port, tlsPort, http2Port }: Pick<Nginx, "port" | "tlsPort" | "http2Port">,
  { workers = 1, log }: NginxOptions,
): string {
  const file = (name: string) => new URL(`../../testdata/tls/${name}`, import.meta.url).pathname;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${name};`).join(" ");
  return `
daemon off; worker_processes ${workers}; pid nginx.pid; worker_rlimit_nofile 30000;
events { worker_connections 25000; }
http {
  access_log ${
    log ? "access.log combined" : "off"
  }; keepalive_requests 1000000000; keepalive_timeout 600s; ${temporary}
  server {
    listen 127.0.0.1:${port} backlog=4096; listen 127.0.0.1:${tlsPort} ssl;
    listen 127.0.0.1:${http2Port} ssl http2 backlog=4096;
    ssl_certificate ${file("server.pem")}; ssl_certificate_key ${file("server.key")};
    location / { default_type text/plain; return 200 "${"x".repeat(100)}"; }
    location /json { default_type application/json; return 200 '${JSON_BODY}'; }
    location /unlogged { access_log off; return 204; }
    location /login { add_header Set-Cookie "session=0123456789abcdef; Path=/"; return 204; }
  }
}
`;
}
