import { UsageError } from "../../base/errors.ts";
import { plural } from "../../base/plural.ts";
import { serveRecording } from "../../verify/serve_recording.ts";
import type { Command } from "../command.ts";
import { interrupted, PORT_FLAG, startedAt } from "../serving.ts";
import { readHarFile } from "../verify/read_har_file.ts";

/** `rehearse serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Stand in for a recorded server on this machine",
  usage: "FILE [OPTIONS]",
  takes: "files",
  about: [
    "Serves a HAR at 127.0.0.1 until Ctrl-C: the recorded answers, with every value that the server " +
    "made made anew for each visitor. A plan can be run against it at any rate, or a browser be " +
    "pointed at it. What was not recorded is 404; static files are not in it. At the end it says how " +
    "many requests were as recorded, and how many sent values that were stale.",
  ],
  flags: [PORT_FLAG],
  examples: [
    { command: "rehearse serve session.har", does: "the recorded server, at port 8080" },
    {
      command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080",
      does: "beside it: the plan, at its own rate, with nobody's server under load",
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positionals;
    if (path === undefined || more.length > 0) {
      throw new UsageError(`expected one HAR to serve: ${args.positionals.length} were given`);
    }
    const recording = await readHarFile(path, io);
    const server = startedAt(args, (port) => serveRecording(recording, port, path));
    const ended = interrupted(io); // before anybody is told that it is there, and may end it
    io.stdout.write(
      `The stand-in for ${server.standsFor} is at ${server.origin} (Ctrl-C ends it)\n`,
    );
    await ended;
    await server.stop();
    const { sent, matched, stale, unknown } = server.seen;
    io.stdout.write(
      `${plural(sent, "request")}: ${matched} as recorded, ${stale.total} stale values, ` +
        `${unknown.total} not in the recording\n`,
    );
    return 0;
  },
};
