/** The same for a file whatever its path, and another for another file; where the system tells (not Windows). */
export function fileIdentity({ dev, ino }: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
