import { assertEquals } from "@std/assert";
import { removeIncompleteProfiles } from "../../scripts/coverage_profiles.ts";
import { TempFolder } from "../support/temp_folder.ts";

Deno.test("removeIncompleteProfiles removes profiles that a process did not finish writing", async () => {
  const profile = JSON.stringify({ url: "file:///a.ts", functions: [{ ranges: [{}] }] }, null, 2);
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.writeTextFile(`${folder}/complete.json`, profile);
  await Deno.writeTextFile(`${folder}/newline.json`, `${profile}\n`);
  for (let length = 0; length < profile.length; length++) {
    await Deno.writeTextFile(`${folder}/${length}.json`, profile.slice(0, length));
  }
  assertEquals(await removeIncompleteProfiles(folder), profile.length);
  const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  assertEquals(left.sort(), ["complete.json", "newline.json"]);
});
