import type { Point } from "./points.ts";

/** Bytes of a packet that is not split on its way. */
const PACKET = 1_400;

/** Writes points as statsd lines: counters by what they rose since the last call, all else as gauges. */
export class StatsdLines {
  readonly #prefix: string;
  readonly #before = new Map<string, number>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The next packets, lines in each joined by line breaks. */
  packets(points: readonly Point[]): string[] {
    const packets: string[] = [];
    for (const line of points.map((point) => this.#line(point))) {
      const last = packets.length - 1;
      if (last >= 0 && packets[last].length + line.length < PACKET) packets[last] += `\n${line}`;
      else packets.push(line);
    }
    return packets;
  }

  #line({ name, kind, labels, value }: Point): string {
    const parts = labels.map(([key, text]) => key === "quantile" ? `p${100 * Number(text)}` : text);
    const key = this.#prefix + [name, ...parts.map(safe)].join(".");
    if (kind === "gauge") return `${key}:${value}|g`;
    const rose = value - (this.#before.get(key) ?? 0);
    this.#before.set(key, value);
    return `${key}:${rose}|c`;
  }
}

/** Text without the characters that mean something to statsd. */
function safe(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]+/g, "_");
}
