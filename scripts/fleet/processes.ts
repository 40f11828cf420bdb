import { freePort } from "../local_port.ts";

/** Starts a process. Discards its standard output and prints its standard error. */
export function startProcess(
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

/** A NATS server on this machine. */
export interface LocalBus {
  readonly port: number;
  readonly monitorPort: number;
  stop(): Promise<void>;
}

/** Starts a NATS server that serves its statistics over HTTP on `monitorPort`. */
export async function startBus(): Promise<LocalBus> {
  const [port, monitorPort] = [freePort(), freePort()];
  const child = startProcess([
    ...["nats-server", "-a", "127.0.0.1", "-p", String(port), "-m", String(monitorPort)],
    ...["-l", "/dev/null"],
  ]);
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await busBytes(monitorPort).catch(() => undefined);
    if (found !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    port,
    monitorPort,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** Returns how many bytes a NATS server has received and sent, and how many connections it has. */
export async function busBytes(
  monitorPort: number,
): Promise<{ received: number; sent: number; connections: number }> {
  const response = await fetch(`http://127.0.0.1:${monitorPort}/varz`);
  const { in_bytes: received, out_bytes: sent, connections } = await response.json();
  return { received, sent, connections };
}

/**
 * Returns the CPU time that a process has used, in seconds, or undefined if it does not exist.
 * Works only on Linux.
 */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/**
 * Returns the peak resident memory of a process in MB, or undefined if it does not exist. Works
 * only on Linux.
 */
export function peakMegabytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ??
      [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_000;
  } catch {
    return undefined;
  }
}
