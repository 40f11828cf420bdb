import * as posix from "@std/path/posix";
import * as windows from "@std/path/windows";

/**
 * The path functions for this operating system. Not `@std/path` itself, which detects the system by
 * `process`: that makes Deno load 7 MB of Node's modules.
 */
export const paths: typeof posix = Deno.build.os === "windows" ? windows : posix;
