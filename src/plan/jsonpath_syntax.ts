// The package entry is CommonJS, which takes 25 ms longer to load.
// @ts-types="npm:json-p3@2.3.1"
import { compile } from "json-p3";

/**
 * Returns the syntax error of a JSONPath and its offset (from 0), or undefined if the JSONPath is
 * valid.
 */
export function jsonPathError(
  path: string,
): { message: string; offset?: number } | undefined {
  try {
    compile(path);
    return undefined;
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // The message repeats the path and the position, which callers print themselves.
    return { message: message.replace(/ \('[^]*$/, ""), offset: token?.index };
  }
}
