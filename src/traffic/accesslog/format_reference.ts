import { readClientFrom } from "./detect/client_field.ts";
import { FORMATS } from "./formats/formats.ts";
import type { FormatDefinition, LogFormat } from "./read/log_format.ts";
import { WRAPPERS } from "./read/wrappers.ts";

/** A log format, as data that can be sent to another thread. */
export interface FormatReference {
  /** Index of the format in `FORMATS`, or the option that defines it. */
  readonly format: number | FormatDefinition;
  /** Name of the field that identifies the client, if it differs from that of the format. */
  readonly client?: string;
  /** Time zone of timestamps without a zone; absent for UTC. */
  readonly timeZone?: string;
  /** Index of the wrapper in `WRAPPERS`; absent if the lines are not wrapped. */
  readonly wrapper?: number;
}

/** Returns a reference to a format, or undefined if another thread cannot create it. */
export function referToFormat(format: LogFormat): FormatReference | undefined {
  const { clientChange, definition, timeZone } = format;
  const { splitter } = clientChange?.format ?? format;
  // A wrapped format is a copy with the same function.
  const index = FORMATS.findIndex((one) => one.splitter === splitter);
  const found = definition ?? (index < 0 ? undefined : index);
  const wrapper = format.wrapper && WRAPPERS.indexOf(format.wrapper);
  if (found === undefined || wrapper === -1) return undefined;
  const client = definition === undefined ? clientChange?.client : undefined;
  return { format: found, client, timeZone, wrapper };
}

/** Creates the format that a reference denotes. */
export async function createFormat(reference: FormatReference): Promise<LogFormat> {
  const { format, client, timeZone, wrapper } = reference;
  const found = typeof format === "number" ? FORMATS[format] : await createDefined(format);
  return {
    ...(client === undefined ? found : readClientFrom(found, client)),
    ...(timeZone !== undefined && { timeZone }),
    ...(wrapper !== undefined && { wrapper: WRAPPERS[wrapper] }),
  };
}

async function createDefined(
  { option, text, client, index }: FormatDefinition,
): Promise<LogFormat> {
  if (option === "--log-format") {
    return (await import("./detect/resolve_formats.ts")).resolveFormats(text, client)[index];
  }
  const format = (await import("./detect/resolve_json.ts")).resolveJson(text)[index];
  return client === undefined ? format : readClientFrom(format, client);
}
