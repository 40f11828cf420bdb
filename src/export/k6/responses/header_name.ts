import { memberOf } from "../js/literal.ts";

/** Matches a valid header name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the name under which k6 stores a response header, such as `Content-Type`. */
export function canonicalHeader(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Returns JavaScript code that reads a response header. */
export function headerCode(name: string, response: string): string {
  return memberOf(`${response}.headers`, canonicalHeader(name));
}
