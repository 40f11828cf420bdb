const ROOT = new URL("../../", import.meta.url);

/** A HAR of the tests. */
export interface HarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The HARs in a folder, named from the checkout's root; none when the folder is not there. */
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
