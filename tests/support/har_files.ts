const ROOT = new URL("../../", import.meta.url);

/** A HAR file to test. */
export interface HarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the HAR files in a folder, whose path is relative to the root of the checkout. Returns an
 * empty list if the folder does not exist.
 */
export function harFiles(folder: string): HarFile[] {
  const url = new URL(`${folder}/`, ROOT);
  try {
    return [...Deno.readDirSync(url)].map(({ name }) => name)
      .filter((name) => name.endsWith(".har")).sort()
      .map((name) => ({ name, bytes: Deno.readFileSync(new URL(name, url)) }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
