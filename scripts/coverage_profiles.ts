/**
 * Removes the incomplete profiles from a folder of coverage profiles (one JSON object per file) and
 * returns their number. If a test ends a process with a signal, the process may leave a truncated
 * file, and `deno coverage` fails on such a file. A complete profile ends with `}` at the start of
 * a line.
 */
export async function removeIncompleteProfiles(folder: string): Promise<number> {
  let removed = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const path = `${folder}/${name}`;
    if (await isComplete(path)) continue;
    await Deno.remove(path);
    removed++;
  }
  return removed;
}

async function isComplete(path: string): Promise<boolean> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  const tail = new Uint8Array(Math.min(4, size));
  await file.seek(size - tail.length, Deno.SeekMode.Start);
  await file.read(tail);
  return /\n\}\s*$/.test(new TextDecoder().decode(tail));
}
