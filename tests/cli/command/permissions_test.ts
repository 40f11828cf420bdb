import config from "../../../deno.json" with { type: "json" };
import { assertEquals } from "@std/assert";
import { loadCommands } from "../../../src/cli/cli.ts";
import { permissionsOf } from "../../../src/cli/command/command.ts";

Deno.test("each command's permission set in deno.json contains exactly the permissions that the command always needs", async () => {
  const sets: Readonly<Record<string, object>> = config.permissions;
  for (const command of await loadCommands()) {
    const set = Object.keys(sets[command.name] ?? {});
    const always = permissionsOf({ ...command, needsFor: undefined });
    assertEquals(set.sort(), always.sort(), command.name);
  }
});
