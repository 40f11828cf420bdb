/**
 * Returns a key that identifies a file independently of its path. Not reliable on Windows, which does
 * not report it.
 */
export function fileIdentity({ dev, ino }: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
