import type * as posix from "@std/path/posix";

/**
 * The path functions for this operating system. Not `@std/path` itself, which detects the system by
 * `process`: that makes Deno load 7 MB of Node's modules. Loading only one of the two modules saves 3 ms
 * at start-up.
 */
export const paths: typeof posix = Deno.build.os === "windows"
  ? await import("@std/path/windows")
  : await import("@std/path/posix");
