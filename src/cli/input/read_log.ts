import { type ByteSource, HEAD_BYTES } from "../../base/bytes/byte_source.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { formatThousands } from "../../base/format.ts";
import { safeSnippet, shellWord } from "../../base/safe_text.ts";
import { SOURCES_FLAG } from "../../base/start_thread.ts";
import type { Note } from "../../convert/notes/notes.ts";
import {
  COLLECTOR_KINDS,
  type CollectorKind,
  type LogCollector,
} from "../../traffic/accesslog/collect/collector.ts";
import {
  findContainer,
  firstLines,
  FORMAT_NAMES,
  lacksField,
  resolveFormats,
  resolveJson,
  withClient,
} from "../../traffic/accesslog/formats/formats.ts";
import { chooseFormat } from "../../traffic/accesslog/formats/guess_format.ts";
import {
  checkProfile,
  type FilterRecord,
  parseProfile,
  type ProfileContent,
} from "../../traffic/accesslog/profile/parse_profile.ts";
import { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { FIELD_INDEX, type LogFormat, Spans } from "../../traffic/accesslog/read/log_format.ts";
import { createSplitter } from "../../traffic/accesslog/read/request_reader.ts";
import { type LogSource, readAccessLogs } from "../../traffic/accesslog/read_access_logs.ts";
import { createCollector, type LogUse } from "../../traffic/accesslog/slices.ts";
import { type Given, text } from "../command/options.ts";
import type { ConvertProgress } from "../output/messages.ts";
import { unknownFormatHint } from "./input_kind.ts";
import { looksLikeHar } from "../../traffic/har/read_har.ts";
import type { Input } from "./inputs.ts";

export const FORMAT_OPTIONS = {
  logFormat: text({
    value: "FORMAT",
    suggests: FORMAT_NAMES,
    otherwise: "detected",
    conflicts: { json: "use only one of them" },
    help: "Format of the log lines: an nginx log_format string, an Apache LogFormat string, or " +
      FORMAT_NAMES.join(", "),
  }),
  json: text({
    value: "FIELDS",
    help: "Fields of JSON log lines, such as time=ts,method=req.method,url=req.url,status=res.code",
  }),
  client: text({
    value: "FIELD",
    help:
      "Field that identifies the client, for --journeys: a variable of --log-format, a field of " +
      "JSON log lines, a name in name=value pairs, or a column",
  }),
};

/** How to read the lines of a log. By default, formats are detected. */
export type LineOptions = Partial<Pick<Reading, "client" | "formats">>;

/**
 * Returns how to read lines according to `--log-format`, `--json` and `--client`. Throws UsageError
 * if one of them is invalid.
 */
export function lineOptions(
  { logFormat, json, client }: Partial<Given<typeof FORMAT_OPTIONS>>,
): LineOptions {
  const formats = json !== undefined
    ? resolveJson(json, client)
    : logFormat === undefined
    ? undefined
    : resolveFormats(logFormat, client);
  return { client, formats };
}

/** Filters, collectors and formats for reading a log. */
export interface Reading extends LogUse {
  readonly collectors: readonly LogCollector[];
  /** A collector whose data may be absent from a traffic profile. */
  readonly optional?: LogCollector;
  /**
   * True to collect all optional data that every input contains. Has an effect only if all inputs
   * are traffic profiles.
   */
  readonly carries?: boolean;
  /** Log formats to choose from (default: all known formats). */
  readonly formats?: readonly LogFormat[];
  /** Time zone of timestamps without a zone (default: UTC). */
  readonly timeZone?: string;
  readonly client?: string;
}

export interface ReadTraffic {
  readonly profile: TrafficProfile;
  /** Filters, and the number of requests that each of them dropped. */
  readonly filters: readonly FilterRecord[];
  /** Collectors that contain data from all inputs. */
  readonly collectors: readonly LogCollector[];
  /** Notes on how the logs were read, and on variables that are not used. */
  readonly inputNotes: readonly Note[];
}

/**
 * Reads access logs and traffic profiles in the given order and merges them into one profile.
 * Throws InputError if no request is left after filtering. Throws UsageError if a traffic profile
 * lacks data that an option needs.
 */
export async function readLog(
  inputs: readonly Input[],
  reading: Reading,
  progress: ConvertProgress,
): Promise<ReadTraffic> {
  const head = await inputs[0].source.peek(HEAD_BYTES);
  const read = await readInputs(inputs, reading, progress);
  if (read.profile.requests > 0) return read;
  const dropped = read.filters.filter(({ dropped }) => dropped > 0);
  if (dropped.length === 0) {
    throw nothingRead(read.profile, inputs[0].source.name, head, reading.formats?.[0]);
  }
  const reasons = dropped.map(({ option, dropped }) =>
    `${option} excluded ${formatThousands(dropped)}`
  )
    .join(", ");
  throw new InputError(`no request is left to convert: ${reasons}; relax or remove these filters`, {
    source: inputs[0].source.name,
  });
}

async function readInputs(
  inputs: readonly Input[],
  reading: Reading,
  progress: ConvertProgress,
): Promise<ReadTraffic> {
  const onProgress = ({ done, total }: { done: number; total?: number }) => progress(done, total);
  const formatOf = formatReader(reading);
  const isChosen = reading.timeZone !== undefined || reading.client !== undefined;
  if (isChosen) refuseProfiles(inputs);
  const readNotes = new Set<Note>();
  const options = { use: reading, onProgress, onOneThread: () => readNotes.add(ONE_THREAD) };
  const profile = new TrafficProfile();
  // Detects formats lazily. Otherwise, the first bytes of all files would stay in memory.
  const logs = inputs.map(({ source }): LogSource => ({
    source,
    format: async () => {
      const format = await formatOf(source);
      if (reading.formats === undefined && format.definition !== undefined) {
        readNotes.add(guessedFormat(format.definition));
      }
      return format;
    },
  }));
  const merger = new ProfileMerger(reading, inputs.every(({ kind }) => kind === "profile"));
  if (inputs.every(({ kind }) => kind === "accesslog")) {
    await readAccessLogs(logs, { ...options, profile });
  } else {
    for (const [i, { source, kind }] of inputs.entries()) {
      if (kind === "profile") await merger.append(source, profile);
      else await readAccessLogs([logs[i]], { ...options, profile });
    }
  }
  return {
    profile,
    filters: merger.filters!,
    collectors: merger.collectors,
    inputNotes: [...readNotes, ...unusedFieldNotes(reading.formats?.[0])],
  };
}

/** Maximum number of fields that a note lists. */
const MAX_LISTED = 12;

/** Returns a note if `format` comes from a format string with variables that are not used. */
function unusedFieldNotes(format: LogFormat | undefined): Note[] {
  const names = [...new Set(format?.unusedNames)];
  if (names.length === 0) return [];
  const others = names.length - MAX_LISTED;
  const listed = names.slice(0, MAX_LISTED).join(", ") + (others > 0 ? ` and ${others} more` : "");
  return [{
    code: "unused-fields",
    subject: "--log-format",
    message: `the values of these variables are not used: ${listed}`,
  }];
}

const ONE_THREAD: Note = {
  code: "one-thread",
  subject: "threads",
  message:
    "the log was read on one thread, because the permission to read the modules of threads " +
    `is missing: add \`${SOURCES_FLAG}\` to \`deno run\``,
};

function guessedFormat(option: string): Note {
  return {
    code: "guessed-format",
    subject: "log format",
    message: `the lines are JSON in no known format, and were read with \`--json ${
      shellWord(option)
    }\`; give a corrected \`--json\` if this is wrong`,
  };
}

/** Determines the format of a log, as `readLog` does, for reading its requests one by one. */
export async function readFormat(source: ByteSource, reading: Reading): Promise<LogFormat> {
  return await formatReader(reading)(source);
}

/**
 * Returns a function that determines the format of a log (see `chooseFormat`), with the given time
 * zone and client field. It returns the same object for logs in the same format, because they share
 * a scanner. It throws InputError if the input is an archive or another container, or if the log
 * has requests, and none of the first requests has the client field.
 */
function formatReader(
  { timeZone, client, formats }: Reading,
): (source: ByteSource) => Promise<LogFormat> {
  const adapted = new Map<LogFormat, LogFormat>();
  return async (source) => {
    const head = await source.peek(HEAD_BYTES);
    // An archive may contain readable lines, but not only lines.
    if (findContainer(head) !== undefined) {
      throw new InputError(
        `cannot be read as lines of text; ${unknownFormatHint(head, source.name)}`,
        { source: source.name },
      );
    }
    const found = chooseFormat(head, formats, head.length < HEAD_BYTES);
    if (timeZone === undefined && client === undefined) return found;
    const format = adapted.getOrInsertComputed(found, () =>
      withClient(
        { ...found, ...(timeZone !== undefined && { timeZone }) },
        formats === undefined ? client : undefined,
      ));
    if (client !== undefined && lacksField(head, format, "forwarded")) {
      throw new InputError(
        `no line at the start of the log has the field ${client}, which \`--client\` specifies`,
        { source: source.name },
      );
    }
    return format;
  };
}

function refuseProfiles(inputs: readonly Input[]): void {
  const profile = inputs.find(({ kind }) => kind === "profile");
  if (profile === undefined) return;
  throw new UsageError(
    `${profile.source.name} is a traffic profile: --client and --time-zone apply only to logs; give them ` +
      "when you create the profile from the log",
  );
}

function nothingRead(
  profile: TrafficProfile,
  source: string,
  head: Uint8Array,
  format: LogFormat | undefined,
): InputError {
  if (profile.firstMalformed === undefined) {
    return new InputError("no request to convert: the input is empty; expected an access log", {
      source,
    });
  }
  const { reason, place } = profile.firstMalformed;
  const option = format?.name === "--json" ? "--json" : "--log-format";
  const wrongTime = reason === "no-timestamp" && format?.name === "--log-format"
    ? wrongTimeHint(place.snippet ?? "", format)
    : undefined;
  const hint = looksLikeHar(head)
    ? "it looks like a HAR file: add `--from har`"
    : wrongTime !== undefined
    ? wrongTime
    : format === undefined
    ? unknownFormatHint(head, source)
    : `the lines do not match ${option}; ${unknownFormatHint(head, source, option)}`;
  return new InputError(`no line could be read as a request (${reason}); ${hint}`, place);
}

/**
 * Returns a hint if `line`, the text of a line whose format is `format`, has a time in another
 * notation. Returns undefined if the line has no text where the time is expected.
 */
function wrongTimeHint(line: string, format: LogFormat): string | undefined {
  const { bytes, lines: [{ start, end }] } = firstLines(new TextEncoder().encode(line), 1);
  const spans = new Spans();
  const fault = createSplitter(format).split(bytes, new DataView(bytes.buffer), start, end, spans);
  const time = FIELD_INDEX.time;
  if (fault !== undefined || spans.from[time] < 0) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(spans.from[time], spans.to[time]));
  return `${
    safeSnippet(text, 44)
  } is not a time in the notation that \`--log-format\` specifies; ` +
    "specify its layout, such as `%{%d.%m.%Y %H:%M:%S}t`";
}

/** Command-line option that requires the data of a collector, keyed by the kind of collector. */
const OPTIONS: Readonly<Record<CollectorKind, string>> = {
  timings: "--thresholds",
  ids: "--ids",
  queries: "--query",
  visits: "--journeys",
  statuses: "--html, --checks or --revalidate",
  entry: "--har",
};

/** Merges each input that is a traffic profile into the profile of the preceding inputs. */
class ProfileMerger {
  /** Collectors whose data is present in every profile read so far. */
  collectors: readonly LogCollector[];
  /** Filters of all inputs. Undefined until the first input is read that defines them. */
  filters: readonly (FilterRecord & { dropped: number })[] | undefined;
  readonly #reading: Reading;
  #carries: boolean;

  constructor(reading: Reading, areProfiles: boolean) {
    const { collectors, filters, carries = false } = reading;
    this.collectors = collectors;
    this.filters = areProfiles && filters.length === 0 ? undefined : filters;
    this.#reading = reading;
    this.#carries = areProfiles && carries;
  }

  /**
   * Reads the profile in `source` and appends it to `into`. Throws InputError if the profile is not
   * valid. Throws UsageError if its filters differ from those of the other inputs, or if it lacks
   * data that an option needs.
   */
  async append(source: ByteSource, into: TrafficProfile): Promise<void> {
    const { name } = source;
    const content = parseProfile(new TextDecoder().decode(await source.bytes()), name);
    this.#addFilters(content.filters, name);
    if (this.#carries) await this.#carry(content);
    this.#carries = false;
    this.collectors = this.collectors.filter((collector) => {
      const found = content.collected.get(collector.kind);
      if (found === undefined) {
        const { optional, collectors } = this.#reading;
        if (collector === optional || !collectors.includes(collector)) return false;
        throw missing(name, collector.kind);
      }
      checkProfile(name, () => collector.merge(found.data, into.bytes));
      return true;
    });
    into.append(content.profile);
  }

  #addFilters(found: readonly FilterRecord[], name: string): void {
    this.filters ??= found.map((filter) => ({ ...filter, dropped: 0 }));
    const words = (filters: readonly FilterRecord[]) =>
      filters.map(({ option, value }) => value === "" ? option : `${option} ${value}`).join(" ");
    if (words(found) !== words(this.filters)) {
      throw new UsageError(
        `${name} is a traffic profile with different filters (${
          words(found) || "none"
        } instead of ${
          words(this.filters) || "none"
        }): give the same filters when you create each profile from its log`,
      );
    }
    this.filters.forEach((filter, i) => filter.dropped += found[i].dropped);
  }

  async #carry({ collected }: ProfileContent): Promise<void> {
    const known = new Set<string>(this.collectors.map(({ kind }) => kind));
    const more = COLLECTOR_KINDS.filter((kind) => collected.has(kind) && !known.has(kind));
    const carried = await Promise.all(
      more.map((kind) => createCollector({ kind, settings: collected.get(kind)!.settings })),
    );
    this.collectors = [...this.collectors, ...carried];
  }
}

function missing(name: string, kind: CollectorKind): UsageError {
  return new UsageError(
    `${name} is a traffic profile without the data that ${OPTIONS[kind]} needs: give the option ` +
      "when you create the profile from the log",
  );
}
