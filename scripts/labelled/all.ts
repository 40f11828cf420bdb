import { LOGINS } from "./recordings/logins.ts";
import { RESOURCES } from "./recordings/resources.ts";
import { SERVICES } from "./recordings/services.ts";
import { TRAPS } from "./recordings/traps.ts";
import { type Har, Recorder } from "./recorder.ts";

/** A recording of the set as it is written out. */
export interface Labelled {
  readonly name: string;
  /** The HAR's text, an entry a line. */
  readonly har: string;
  /** The labels' text, a label a line. */
  readonly labels: string;
}

/** The whole set; the same at every call. */
export function labelledSet(): Labelled[] {
  return [...LOGINS, ...RESOURCES, ...TRAPS, ...SERVICES].map(({ name, creator, origin, play }) => {
    const recorder = new Recorder(name, origin);
    play(recorder);
    return {
      name,
      har: harText(recorder.har(creator)),
      labels: `[\n${lines(recorder.labels())}\n]\n`,
    };
  });
}

function harText({ log: { entries, ...about } }: Har): string {
  const head = JSON.stringify(about).slice(1, -1);
  return `{"log":{${head},"entries":[\n${lines(entries)}\n]}}\n`;
}

function lines(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join(",\n");
}
