import { literal } from "../../../plan/text/template.ts";
import type { Condition } from "../../../plan/kinds/conditions/conditions.ts";
import { isRedirect, mediaTypeOf } from "../../../correlation/compared_response.ts";
import { urlShape } from "../../../outcome/url_shape.ts";
import { headerValue } from "../../../traffic/har/har_fields.ts";
import type { RecordedResponse } from "../../../traffic/har/recording.ts";
import { type MaskValues, shapePattern } from "./shape_pattern.ts";

/**
 * Returns a check for the recorded status. For a response from the browser's cache, expects status
 * 200, because the plan sends no conditional headers. Returns an empty list if the status is
 * unknown.
 */
export function statusChecks({ status }: RecordedResponse): Condition[] {
  return status === 0 ? [] : [{ type: "status", equals: status === 304 ? 200 : status }];
}

/** Returns checks for the media type and for the shape of the redirect target. */
export function headChecks(response: RecordedResponse, mask: MaskValues): Condition[] {
  return [...mediaTypeChecks(response), ...locationChecks(response, mask)];
}

function mediaTypeChecks(response: RecordedResponse): Condition[] {
  const type = mediaTypeOf(response);
  const isBodiless = isRedirect(response) || [204, 205, 304].includes(response.status);
  if (type === "" || isBodiless || response.text === "") return [];
  const stated = headerValue(response.headers, "content-type")?.split(";")[0].trim() || undefined;
  if (stated === undefined) return [];
  return [{
    type: "header",
    name: `media type ${type}`,
    header: "Content-Type",
    contains: literal(stated),
  }];
}

function locationChecks({ headers }: RecordedResponse, mask: MaskValues): Condition[] {
  const location = headerValue(headers, "location")?.replace(/#.*/s, "");
  if (location === undefined) return [];
  const shape = urlShape(mask(location));
  const matches = locationPattern(shape, /^(?:[a-z][a-z0-9+.-]*:)?\//i.test(location));
  if (!new RegExp(matches).test(location)) return [];
  return [{ type: "header", name: `redirect target ${shape}`, header: "Location", matches }];
}

/** Matches a scheme and host, both optional. */
const AUTHORITY = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\\/\\/[^\\/?#]*)?";
/**
 * Matches a suffix that serves only to make a name unique, such as `-2`. The shape of a URL omits
 * it.
 */
const UNIQUE_SUFFIX = "(?:[-_.~]\\w*\\d\\w*)?";

/**
 * Returns the source of a regular expression for `Location` headers with a given shape and with any
 * scheme, host and fragment. If `isAbsolute` is false, the header may contain a relative URL.
 */
function locationPattern(shape: string, isAbsolute: boolean): string {
  const [path, query = ""] = shape.split("?");
  const segments = path.slice(1).split("/").map((segment) =>
    shapePattern(segment, "[^\\/?#]*") + (/[^#]$/.test(segment) ? UNIQUE_SUFFIX : "")
  );
  const start = isAbsolute ? `^${AUTHORITY}\\/?` : "^(?:[^?#]*\\/)?";
  return `${start}${segments.join("\\/")}${queryPattern(query)}(?:#.*)?$`;
}

/**
 * Returns the source of a regular expression for queries that have all parameters of `query` and no
 * others, in any order.
 */
function queryPattern(query: string): string {
  if (query === "") return "\\??";
  const names = query.split("&").map((name) => shapePattern(encodedName(name), "[^=&#]*"));
  const each = names.map((name) => `(?=[^#]*[?&]${name}(?:[=&#]|$))`).join("");
  const pair = `(?:${names.join("|")})(?:=[^&#]*)?`;
  return `${each}\\?${pair}(?:&${pair})*`;
}

function encodedName(name: string): string {
  return encodeURIComponent(name).replaceAll("%23", "#");
}
