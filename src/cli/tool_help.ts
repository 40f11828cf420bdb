import { loadCommands } from "./commands.ts";
import { exampleList } from "./help.ts";

/** The help text of the tool as a whole. */
export async function toolHelp(): Promise<string> {
  const commands = await loadCommands();
  const width = Math.max(...commands.map((command) => command.name.length)) + 2;
  return [
    "rehearse: turn recorded traffic into a load test, and run it\n",
    "Usage: rehearse COMMAND [OPTIONS]\n",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "\nOptions:",
    "  -h, --help     Show this help; `rehearse COMMAND --help` shows a command's",
    "  -V, --version  Show the version\n",
    exampleList([
      {
        command: "rehearse convert access.log -o plan.yaml",
        does: "make a plan that reproduces the traffic of a log",
      },
      {
        command: "rehearse convert session.har -o plan.yaml",
        does: "make a plan that replays a browser session with live values",
      },
      { command: "rehearse validate plan.yaml", does: "check a plan" },
      {
        command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080",
        does: "play it and report what happened",
      },
    ]),
  ].join("\n");
}
