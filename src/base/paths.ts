import * as posix from "@std/path/posix";
import * as windows from "@std/path/windows";

/**
 * Paths as this system writes them. Not `@std/path` itself: to find out what system this is, that
 * looks for `process`, for which Deno loads 7 MB of Node's modules.
 */
export const paths: typeof posix = Deno.build.os === "windows" ? windows : posix;
