import type { Point } from "./points.ts";

/** Maximum size of a UDP packet in bytes. Larger packets may be fragmented. */
const MAX_PACKET_BYTES = 1_400;

/**
 * Formats points as statsd lines. Counters are formatted as the increase since the last call, other
 * values as gauges.
 */
export class StatsdLines {
  readonly #prefix: string;
  readonly #previous = new Map<string, number>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * Formats points as the text of UDP packets. Each packet contains one or more lines, separated by
   * line breaks.
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

/** Replaces characters that have a special meaning in statsd with `_`. */
function safe(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]+/g, "_");
}
