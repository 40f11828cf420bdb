import { COMBINED } from "./formats/combined.ts";
import type { FormatDefinition, LogFormat } from "./read/log_format.ts";
import { WRAPPERS } from "./read/wrappers.ts";

/** A log format, as data that can be sent to another thread. */
export interface FormatReference {
  /**
   * Index of the format in `FORMATS`, or the option that defines it. Absent for the combined
   * format.
   */
  readonly format?: number | FormatDefinition;
  /** Name of the field that identifies the client, if it is not the format's own client field. */
  readonly client?: string;
  /** Time zone of timestamps without a zone; absent for UTC. */
  readonly timeZone?: string;
  /** Index of the wrapper in `WRAPPERS`; absent if the lines are not wrapped. */
  readonly wrapper?: number;
}

/** Returns a reference to a format, or undefined if another thread cannot create it. */
export async function referToFormat(format: LogFormat): Promise<FormatReference | undefined> {
  const { clientChange, definition, timeZone } = format;
  const { splitter } = clientChange?.format ?? format;
  const wrapper = format.wrapper && WRAPPERS.indexOf(format.wrapper);
  if (wrapper === -1) return undefined;
  const client = definition === undefined ? clientChange?.client : undefined;
  const reference = { client, timeZone, wrapper };
  if (definition !== undefined) return { ...reference, format: definition };
  // A wrapped format is a copy with the same function.
  if (splitter === COMBINED.splitter) return reference;
  const index = (await loadFormats()).findIndex((one) => one.splitter === splitter);
  if (index < 0) return undefined;
  return { ...reference, format: index };
}

/** Creates the log format that a reference from `referToFormat` describes. */
export async function createFormat(reference: FormatReference): Promise<LogFormat> {
  const { format, client, timeZone, wrapper } = reference;
  return {
    ...(await withClient(await findReferenced(format), client)),
    ...(timeZone !== undefined && { timeZone }),
    ...(wrapper !== undefined && { wrapper: WRAPPERS[wrapper] }),
  };
}

async function findReferenced(format: FormatReference["format"]): Promise<LogFormat> {
  if (format === undefined) return COMBINED;
  return typeof format === "number" ? (await loadFormats())[format] : await createDefined(format);
}

/** Loads all formats. A thread that reads the combined format does not need the others. */
async function loadFormats(): Promise<readonly LogFormat[]> {
  return (await import("./formats/formats.ts")).FORMATS;
}

async function withClient(format: LogFormat, client: string | undefined): Promise<LogFormat> {
  if (client === undefined) return format;
  return (await import("./detect/client_field.ts")).readClientFrom(format, client);
}

async function createDefined(
  { option, text, client, index }: FormatDefinition,
): Promise<LogFormat> {
  if (option === "--log-format") {
    return (await import("./detect/resolve_formats.ts")).resolveFormats(text, client)[index];
  }
  const format = (await import("./detect/resolve_json.ts")).resolveJson(text)[index];
  return await withClient(format, client);
}
