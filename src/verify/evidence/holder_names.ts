import type { Exchange } from "../../traffic/har/recording.ts";

/** Number of UTF-16 code units before a value that are searched for its name. */
const BEFORE = 300;
/**
 * Maximum number of occurrences of a value for which to read the name. Other occurrences are
 * ignored.
 */
const MOST_NAMES = 4;

const MEMBER =
  /([A-Za-z_$][\w$.:-]{0,80})\\*["'\]]{0,2}\s*[:=]\s*(?:\w{1,20}\()?\\*["'([]*[^"'<>\s=&]{0,120}$/;
const TAG = /<[A-Za-z][\w-]*\s[^<>]*$/;
const NAMING = /\b(?:name|id|property)\s*=\s*["']?([^"'\s>]+)/i;

/**
 * Returns the names of the members, attributes, parameters and headers of a response that contain a
 * value.
 */
export function holderNames(value: string, { response }: Exchange): string[] {
  const names: string[] = [];
  for (const { name, value: text } of response.headers) {
    if (!text.includes(value)) continue;
    const parameter = namesIn(text, value);
    names.push(...(parameter.length > 0 ? parameter : [name.toLowerCase()]));
  }
  return [...names, ...namesIn(response.text ?? "", value)];
}

function namesIn(text: string, value: string): string[] {
  const names: string[] = [];
  for (
    let at = text.indexOf(value);
    at >= 0 && names.length < MOST_NAMES;
    at = text.indexOf(value, at + value.length)
  ) {
    const before = text.slice(Math.max(0, at - BEFORE), at);
    const tag = TAG.exec(before)?.[0];
    if (tag !== undefined) {
      const rest = /^[^<>]*/.exec(text.slice(at + value.length, at + value.length + BEFORE))![0];
      const [, naming] = NAMING.exec(tag) ?? NAMING.exec(rest) ?? [];
      if (naming !== undefined) names.push(naming);
    }
    const [, member] = MEMBER.exec(before) ?? [];
    if (member !== undefined) names.push(member);
  }
  return names;
}
