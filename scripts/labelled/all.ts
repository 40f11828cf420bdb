import { LOGINS } from "./recordings/logins.ts";
import { RESOURCES } from "./recordings/resources.ts";
import { SERVICES } from "./recordings/services.ts";
import { TRAPS } from "./recordings/traps.ts";
import { type Har, Recorder } from "./recorder.ts";

/** A recording of the labelled set, as written to its files. */
export interface Labelled {
  readonly name: string;
  /** Text of the HAR, with one entry per line. */
  readonly har: string;
  /** Text of the labels, with one label per line. */
  readonly labels: string;
}

/** Returns all recordings of the set. Every call returns recordings with identical text. */
export function labelledSet(): Labelled[] {
  return [...LOGINS, ...RESOURCES, ...TRAPS, ...SERVICES].map(
    ({ name, creator, origin, record }) => {
      const recorder = new Recorder(name, origin);
      record(recorder);
      return {
        name,
        har: harText(recorder.har(creator)),
        labels: `[\n${lines(recorder.labels())}\n]\n`,
      };
    },
  );
}

function harText({ log: { entries, ...about } }: Har): string {
  const head = JSON.stringify(about).slice(1, -1);
  return `{"log":{${head},"entries":[\n${lines(entries)}\n]}}\n`;
}

function lines(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join(",\n");
}
