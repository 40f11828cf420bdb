import { plural } from "../../base/format.ts";
import { serveRecording } from "../../verify/verifying_server.ts";
import type { Command } from "../command/command.ts";
import { EXIT } from "../command/exit_codes.ts";
import { PORT, startOnPort, waitForInterrupt } from "../command/local_server.ts";
import { command } from "../command/options.ts";
import { readHarFile } from "../input/open_inputs.ts";
import { commandLine, printNext } from "../output/messages.ts";

/** The `rehearse serve` command. */
export const serveCommand: Command = command({
  name: "serve",
  usage: "FILE [OPTIONS]",
  takes: "files",
  expects: { what: "one HAR to serve" },
  about: [
    "Serves the responses in a HAR on 127.0.0.1 until you press Ctrl-C, with fresh tokens and ids for each " +
    "visitor. Run a plan against it at any request rate, or open it in a browser. Requests that were not " +
    "recorded, and static files, get status 404.",
    "When it stops, it prints how many requests matched the recording, how many differed from it, and how many stale values they sent.",
  ],
  options: { port: PORT },
  needs: ["net"],
  examples: [
    { command: "rehearse serve session.har", does: "Serve the recording on port 8080." },
    {
      command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080",
      does: "In another terminal, run the plan against the mock server instead of a real one.",
    },
  ],
  async run({ port, args }, io) {
    const [path] = args.positionals;
    const recording = await readHarFile(path, io);
    const server = startOnPort(port, (port) => serveRecording(recording, port, path));
    // Listen for Ctrl-C before the address is printed, because the user may press it immediately.
    const ended = waitForInterrupt(io);
    io.stdout.write(
      `The mock server for ${server.recordedOrigin} is at ${server.origin} (press Ctrl-C to stop)\n`,
    );
    printNext(
      `in another terminal, run ${commandLine("run", "plan.yaml", "--base-url", server.origin)}`,
      args,
      io,
    );
    await ended;
    await server.stop();
    const { sent, matched, stale, added } = server.seen;
    const differed = sent - matched - added.total;
    io.stdout.write(
      `${plural(sent, "request")}: ${matched} matched the recording, ${differed} differed, ` +
        `${added.total} not in the recording; ${plural(stale.total, "stale value")}\n`,
    );
    return EXIT.OK;
  },
});
