import { createSocket, type Socket } from "node:dgram";
import { type OutputOf, parseAddress } from "../../outputs/open_output.ts";
import type { Point } from "../../outputs/points.ts";
import type { OutputReport, RunOutput } from "../../outputs/run_output.ts";

/** Maximum size of a UDP packet in bytes, so that networks do not fragment it. */
const MAX_PACKET_BYTES = 1_400;

/** Opens a `statsd` output. */
export function openStatsd({ address, prefix = "rehearse." }: OutputOf<"statsd">): RunOutput[] {
  const { hostname, port } = parseAddress(address, "outputs.address");
  return [new StatsdOutput(hostname, port, prefix)];
}

/**
 * Sends the metrics to a statsd server over UDP each time it receives them, about once per second.
 */
export class StatsdOutput implements RunOutput {
  readonly #name: string;
  readonly #socket: Socket;
  readonly #lines: StatsdLines;
  readonly #send: (packet: string) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #written = 0;
  #dropped = 0;
  #error: string | undefined;

  /** Opens the socket. Throws NotCapable if the permission to use it is missing. */
  constructor(hostname: string, port: number, prefix: string) {
    this.#name = `statsd ${hostname}:${port}`;
    this.#lines = new StatsdLines(prefix);
    const source = sourceAddress(hostname);
    requireNetAccess(`${source}:0`);
    requireNetAccess(`${hostname}:${port}`);
    this.#socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.bind(0, source);
    this.#send = (packet) =>
      new Promise((resolve) =>
        this.#socket.send(packet, port, hostname, (error) => {
          if (error) this.#fail(error);
          else this.#written++;
          resolve();
        })
      );
  }

  points(points: readonly Point[]): void {
    this.#last = Promise.all(this.#lines.packets(points).map(this.#send));
  }

  async close(): Promise<OutputReport> {
    await this.#last;
    this.#socket.close();
    const report = { name: this.#name, written: this.#written, dropped: this.#dropped };
    return this.#error === undefined ? report : { ...report, error: this.#error };
  }

  #fail(error: Error): void {
    this.#dropped++;
    this.#error ??= error.message;
  }
}

/** Returns the local address from which a socket can send to the host `to`. */
function sourceAddress(to: string): string {
  if (to.includes(":")) return to === "::1" ? "::1" : "::";
  return /^127\.|^localhost$/.test(to) ? "127.0.0.1" : "0.0.0.0";
}

/**
 * Throws NotCapable if the permission for network access to `host` is missing. Without this check,
 * the socket would end the run with an error that cannot be caught.
 */
function requireNetAccess(host: string): void {
  const address = host.replace(/^(.*:.*)(:\d+)$/, "[$1]$2");
  if (Deno.permissions.querySync({ name: "net", host: address }).state === "granted") return;
  throw new Deno.errors.NotCapable(
    `Requires net access to "${address}", run again with the --allow-net flag`,
  );
}

/**
 * Formats points as statsd lines. Counters are formatted as their increase since the last call, and
 * other values as gauges.
 */
export class StatsdLines {
  readonly #prefix: string;
  readonly #previous = new Map<string, number>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * Formats points as the contents of UDP packets. Each packet contains one or more lines,
   * separated by line breaks.
   */
  packets(points: readonly Point[]): string[] {
    const packets: string[] = [];
    for (const line of points.map((point) => this.#line(point))) {
      const last = packets.length - 1;
      if (last >= 0 && packets[last].length + line.length < MAX_PACKET_BYTES) {
        packets[last] += `\n${line}`;
      } else packets.push(line);
    }
    return packets;
  }

  #line({ name, kind, labels, value }: Point): string {
    const parts = labels.map(([key, text]) => key === "quantile" ? `p${100 * Number(text)}` : text);
    const key = this.#prefix + [name, ...parts.map(safe)].join(".");
    if (kind === "gauge") return `${key}:${value}|g`;
    const increase = value - (this.#previous.get(key) ?? 0);
    this.#previous.set(key, value);
    return `${key}:${increase}|c`;
  }
}

/** Replaces each run of characters other than letters, digits, `_` and `-` with a single `_`. */
function safe(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]+/g, "_");
}
