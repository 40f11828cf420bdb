import { compile } from "json-p3";

/** What is wrong with the syntax of a JSONPath (RFC 9535), and where in it, from 0; or undefined. */
export function jsonPathError(path: string): { message: string; offset?: number } | undefined {
  try {
    compile(path);
    return undefined;
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // The message repeats the path and the place, which is shown anyway.
    return { message: message.replace(/ \('[^]*$/, ""), offset: token?.index };
  }
}
