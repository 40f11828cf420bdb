import {
  basename,
  dirname,
  isAbsolute,
  join,
  normalize,
  relative,
  resolve,
  SEPARATOR,
} from "./libraries/path_bundle.js";

/** Path functions for one operating system. */
export interface PathFunctions {
  readonly SEPARATOR: string;
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  normalize(path: string): string;
  relative(from: string, to: string): string;
  resolve(...paths: string[]): string;
}

/**
 * Path functions for the current operating system. Importing `@std/path` itself would make Deno
 * load 7 MB of Node modules, because `@std/path` detects the operating system with `process`.
 * Importing only these functions makes small commands start 3% faster.
 */
export const paths: PathFunctions = Deno.build.os === "windows"
  ? await import("@std/path/windows")
  : { SEPARATOR, basename, dirname, isAbsolute, join, normalize, relative, resolve };
