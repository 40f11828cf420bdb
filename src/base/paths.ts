import type * as posix from "@std/path/posix";

/**
 * Path functions for the current operating system. Importing `@std/path` itself would take 7 MB of
 * memory, because it detects the operating system with `process`, which makes Deno load Node's
 * modules. Loading the functions for only one system makes `validate` start 2 % faster.
 */
export const paths: typeof posix = Deno.build.os === "windows"
  ? await import("@std/path/windows")
  : await import("@std/path/posix");
