import { readClientFrom } from "./detect/client_field.ts";
import { resolveFormats } from "./detect/resolve_formats.ts";
import { resolveJson } from "./detect/resolve_json.ts";
import { FORMATS } from "./formats/formats.ts";
import type { FormatDefinition, LogFormat } from "./read/log_format.ts";
import { WRAPPERS } from "./read/wrappers.ts";

/** A log format, as data that can be sent to another thread. */
export interface FormatReference {
  /** Index of the format in `FORMATS`, or the option that defines it. */
  readonly format: number | FormatDefinition;
  /** Name of the field that identifies the client, if it is not the format's own client field. */
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
  const wrapper = format.wrapper && WRAPPERS.indexOf(format.wrapper);
  if (wrapper === -1) return undefined;
  const client = definition === undefined ? clientChange?.client : undefined;
  const reference = { client, timeZone, wrapper };
  if (definition !== undefined) return { ...reference, format: definition };
  // A wrapped format is a copy with the same function.
  const index = FORMATS.findIndex((one) => one.splitter === splitter);
  if (index < 0) return undefined;
  return { ...reference, format: index };
}

/** Creates the log format that a reference from `referToFormat` describes. */
export function createFormat(reference: FormatReference): LogFormat {
  const { format, client, timeZone, wrapper } = reference;
  return {
    ...withClient(typeof format === "number" ? FORMATS[format] : createDefined(format), client),
    ...(timeZone !== undefined && { timeZone }),
    ...(wrapper !== undefined && { wrapper: WRAPPERS[wrapper] }),
  };
}

function withClient(format: LogFormat, client: string | undefined): LogFormat {
  return client === undefined ? format : readClientFrom(format, client);
}

function createDefined({ option, text, client, index }: FormatDefinition): LogFormat {
  return option === "--log-format"
    ? resolveFormats(text, client)[index]
    : withClient(resolveJson(text)[index], client);
}
