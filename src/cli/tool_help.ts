import { loadCommands } from "./commands.ts";
import { exampleList } from "./command/help.ts";

/** Returns the help text of the tool. */
export async function toolHelp(): Promise<string> {
  const commands = await loadCommands();
  const width = Math.max(...commands.map((command) => command.name.length)) + 2;
  return [
    "rehearse: turn recorded traffic into a load test and run it\n",
    "Usage: rehearse COMMAND [OPTIONS]\n",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "\nOptions:",
    "  -h, --help     Show this help (`rehearse COMMAND --help`: help of a command)",
    "  -V, --version  Show the version\n",
    exampleList([
      {
        command: "rehearse convert access.log -o plan.yaml",
        does: "Make a plan that reproduces the traffic of a log.",
      },
      {
        command: "rehearse convert session.har -o plan.yaml",
        does: "Make a plan that replays a browser session with live values.",
      },
      { command: "rehearse validate plan.yaml", does: "Check the plan." },
      {
        command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080",
        does: "Run the plan and report the results.",
      },
    ]),
  ].join("\n");
}
