import { didYouMean } from "../../base/nearest.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { LogNote } from "../../convert/notes/note.ts";
import { firstLines } from "../../traffic/accesslog/detect/detect_format.ts";
import {
  hasMember,
  jsonRequests,
  listMembers,
} from "../../traffic/accesslog/detect/guess_format.ts";
import {
  type NamedMember,
  parseJsonOption,
} from "../../traffic/accesslog/detect/resolve_formats.ts";
import { FIELD_INDEX, Spans } from "../../traffic/accesslog/read/line_splitter.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";

/** Maximum number of fields that a warning lists. */
const MAX_LISTED = 12;

/**
 * Finds the fields of a `--json` value that occur in none of the logs. Searches only the beginning
 * of each log, because parsing every line would slow down reading.
 */
export class MissingFields {
  /** Fields that no request has had so far. Fields with the same name are alternatives. */
  #missing: readonly (readonly NamedMember[])[];
  /** Paths of the JSON members found in the requests so far. */
  readonly #paths = new Set<string>();

  /** Creates a search for the fields in `option`, a valid `--json` value. */
  constructor(option: string) {
    this.#missing = [...Map.groupBy(parseJsonOption(option), ({ name }) => name).values()];
  }

  /** Searches `head`, the beginning of a log whose lines have the format `format`. */
  add(head: Uint8Array, format: LogFormat): void {
    if (this.#missing.length === 0) return;
    const requests = [...jsonRequests(head, format)];
    for (const path of memberPaths(requests)) this.#paths.add(path);
    for (const request of requests) {
      this.#missing = this.#missing.filter((same) =>
        !same.some(({ member }) => hasMember(request, member))
      );
    }
  }

  /**
   * Returns a warning for each field that no request has. Returns no warnings if there are no
   * requests.
   */
  notes(): LogNote[] {
    const paths = [...this.#paths];
    if (paths.length === 0) return [];
    return this.#missing.flat().map(({ name, member }): LogNote => {
      const hint = didYouMean(member, paths);
      return {
        code: "missing-field",
        subject: member,
        message: "no line at the start of the log has this field, which `--json` specifies for " +
          `\`${name}\`; ${hint && `${hint} `}${hint ? "The" : "the"} lines have the fields ${
            firstOf(paths)
          }`,
      };
    });
  }
}

/**
 * Returns a note that lists the variables in a format string that are not used. Returns no notes if
 * all are used, or if `format` does not come from a format string.
 */
export function unusedFieldNotes({ unusedNames = [] }: LogFormat): LogNote[] {
  if (unusedNames.length === 0) return [];
  return [{
    code: "unused-fields",
    subject: "--log-format",
    message: `the values of these variables are not used: ${firstOf([...new Set(unusedNames)])}`,
  }];
}

/**
 * Returns a hint if `line`, the text of a line whose format is `format`, has a time in another
 * notation. Returns undefined if the line has no text where the time is expected.
 */
export function wrongTimeHint(line: string, format: LogFormat): string | undefined {
  const { bytes, lines: [{ start, end }] } = firstLines(new TextEncoder().encode(line), 1);
  const spans = new Spans();
  const fault = format.splitter().split(bytes, new DataView(bytes.buffer), start, end, spans);
  const time = FIELD_INDEX.time;
  if (fault !== undefined || spans.from[time] < 0) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(spans.from[time], spans.to[time]));
  return `${
    safeSnippet(text, 44)
  } is not a time in the notation that \`--log-format\` specifies; ` +
    "specify its layout, such as `%{%d.%m.%Y %H:%M:%S}t`";
}

/**
 * Lists the first fields of the requests in `head`, the beginning of a log whose lines have the
 * format `format`. Returns an empty string if the lines are not JSON.
 */
export function fieldList(head: Uint8Array, format: LogFormat): string {
  return firstOf([...memberPaths([...jsonRequests(head, format)])]);
}

function memberPaths(requests: readonly object[]): Set<string> {
  return new Set(requests.flatMap((request) => [...listMembers(request)].map(([path]) => path)));
}

function firstOf(paths: readonly string[]): string {
  const others = paths.length - MAX_LISTED;
  return paths.slice(0, MAX_LISTED).join(", ") + (others > 0 ? ` and ${others} more` : "");
}
