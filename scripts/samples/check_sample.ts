import { detectFormat } from "../../src/traffic/accesslog/detect/detect_format.ts";
import { resolveFormats } from "../../src/traffic/accesslog/detect/resolve_formats.ts";
import { runCli } from "../../tests/support/cli.ts";
import { readRequests } from "../../tests/support/read_requests.ts";
import { addUp, differences, type KnownRequest, type Traffic } from "./known_traffic.ts";
import { SAMPLE_REQUESTS } from "./sample.ts";
import { LOGGED_SERVERS } from "./servers/logged_servers.ts";
import { WRITERS } from "./writers.ts";

const FOLDER = new URL("../../testdata/logs/samples/", import.meta.url).pathname;

/** A sample log, and the requests that it records. */
interface SampleLog {
  readonly name: string;
  readonly path: string;
  readonly known: readonly KnownRequest[];
  /**
   * True if the times in the log are the times in `known`. False if a server logged its own times.
   */
  readonly isExact: boolean;
  /** Value of `--log-format` that the log needs. */
  readonly option?: string;
  readonly lacks: readonly string[];
}

/** Result of reading a sample log as a user would. */
export interface SampleResult {
  readonly name: string;
  /** Value of `--log-format` used to read the log; absent if no option was needed. */
  readonly option?: string;
  /**
   * Totals of the requests that were read from the log. Absent if `convert` could not read the log.
   */
  readonly read?: Traffic;
  /** Rate of the plan, in requests per second. */
  readonly rate: number;
  /** Differences from the known requests; empty if there are no differences. */
  readonly wrong: readonly string[];
}

/**
 * Reads every sample log without options. If a log cannot be read, tries again with its documented
 * option.
 */
export async function checkSamples(): Promise<SampleResult[]> {
  const results: SampleResult[] = [];
  for (const sample of sampleLogs()) {
    const plain = await checkSample(sample, undefined);
    // A log that cannot be read without an option is not silently wrong.
    const needsOption = plain.read === undefined && sample.option !== undefined;
    results.push(needsOption ? await checkSample(sample, sample.option) : plain);
  }
  return results;
}

function sampleLogs(): SampleLog[] {
  const written = Object.entries(WRITERS).map(([name, { option, lacks = [] }]): SampleLog => ({
    name,
    path: `${FOLDER}${name}.log`,
    known: SAMPLE_REQUESTS,
    isExact: true,
    lacks,
    ...(option !== undefined && { option }),
  }));
  const logged = Object.entries(LOGGED_SERVERS).map(([name, { lacks = [] }]): SampleLog => ({
    name: `servers/${name}`,
    path: `${FOLDER}servers/${name}.log`,
    known: JSON.parse(Deno.readTextFileSync(`${FOLDER}servers/${name}.json`)).sent,
    isExact: false,
    lacks,
  }));
  return [...written, ...logged];
}

async function checkSample(
  { name, path, known, isExact, lacks }: SampleLog,
  option: string | undefined,
): Promise<SampleResult> {
  const given = option === undefined ? [] : ["--log-format", option];
  const { code, stdout } = await runCli(["convert", path, ...given], { now: Date.UTC(2027, 0) });
  const used = option === undefined ? {} : { option };
  if (code !== 0) return { name, ...used, rate: 0, wrong: ["could not be read"] };
  const rate = Number(/^ {4}rate: (.*)$/m.exec(stdout)?.[1]);
  const log = Deno.readFileSync(path);
  const format = detectFormat(log, option && resolveFormats(option) || undefined, true)!;
  const requests = readRequests(log, format)
    .map(({ ms, client = "", status }) => ({ time: ms, client, status }));
  const read = addUp(requests);
  const expected = read.requests / read.seconds;
  const isRate = Math.abs(rate / expected - 1) < 1e-3;
  return {
    name,
    ...used,
    read,
    rate,
    wrong: [
      ...differences(read, addUp(known), lacks, isExact),
      ...(isRate ? [] : [`rate ${rate}, not ${expected}`]),
    ],
  };
}
