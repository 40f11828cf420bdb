import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";

interface Step {
  readonly run?: string;
}
interface Job {
  readonly steps: readonly Step[];
}

const ROOT = new URL("../", import.meta.url);

function jobs(workflow: string): Readonly<Record<string, Job>> {
  const text = Deno.readTextFileSync(new URL(`.github/workflows/${workflow}`, ROOT));
  return (parse(text) as { jobs: Record<string, Job> }).jobs;
}

Deno.test("CI runs `.ci/run`, and on Linux no command that `.ci/run` contains", () => {
  const { systems: _, ...linux } = jobs("ci.yml");
  const commands = Object.values(linux).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? [])
  );
  assert(commands.some((command) => command.endsWith(" .ci/run")));
  const script = Deno.readTextFileSync(new URL(".ci/run", ROOT));
  const tasks = commands.flatMap((command) =>
    /deno task \w+|scripts\/\S+/.exec(command)?.[0] ?? []
  );
  assertEquals(tasks.length, 3);
  assertEquals(tasks.filter((task) => script.includes(task)), []);
});
