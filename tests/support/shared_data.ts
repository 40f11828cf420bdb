const FOLDER = new URL("../../../shared/data/", import.meta.url);

/**
 * Lists the files in a folder of real recordings next to the checkout. Returns an empty list if the
 * folder does not exist.
 */
export function sharedFiles(folder: string): URL[] {
  const url = new URL(`${folder}/`, FOLDER);
  try {
    return [...Deno.readDirSync(url)].map(({ name }) => new URL(name, url));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: ${folder} of ../shared/data does not exist`);
    return [];
  }
}
