const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const STAMP = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Description of the formats that `parseTimeOption` accepts, for error messages. */
export const TIME_SHAPES =
  "2026-11-21, 2026-11-21T10:00:00Z, or a log's 21/Nov/2026:10:00:00 +0000 (UTC if it has no time zone)";

/**
 * Parses a time given on the command line. Returns Unix milliseconds, or undefined if the text is
 * invalid.
 */
export function parseTimeOption(text: string): number | undefined {
  const stamp = STAMP.exec(text);
  if (stamp !== null) {
    const [, day, name, year, time, hours, minutes] = stamp;
    const month = String(MONTHS.indexOf(name) + 1).padStart(2, "0");
    return valid(Date.parse(`${year}-${month}-${day}T${time}${hours}:${minutes}`));
  }
  const iso = ISO.exec(text);
  if (iso === null) return undefined;
  const zoned = iso[1] === undefined && text.length > 10 ? `${text}Z` : text;
  return valid(Date.parse(zoned.replace(" ", "T").replace(/([+-]\d\d)(\d\d)$/, "$1:$2")));
}

function valid(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}
