const FOLDER = new URL("../../../shared/data/", import.meta.url);

/** Files of a folder of the real recordings that may stand beside the checkout; none where they do not. */
export function sharedFiles(folder: string): URL[] {
  const url = new URL(`${folder}/`, FOLDER);
  try {
    return [...Deno.readDirSync(url)].map(({ name }) => new URL(name, url));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`left out: ${folder} of ../shared/data is not there`);
    return [];
  }
}
