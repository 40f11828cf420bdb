import { join } from "@std/path";
import { OutputError, systemMessage, UsageError } from "../../base/errors.ts";
import { count, plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import LOG from "../../demo/sample/access.log" with { type: "text" };
import HAR from "../../demo/sample/session.har" with { type: "text" };
import { startDemo } from "../../demo/server.ts";
import { PASSWORD } from "../../demo/shop.ts";
import { type Args, type Command, EXIT } from "../command/command.ts";
import { command, fileToWrite, type Option, toggle, wholeNumber } from "../command/options.ts";
import { exists, openOutputFile } from "../output/output_file.ts";
import { commandLine, printNext } from "../output/messages.ts";
import type { Io } from "../system/io.ts";
import { serveRecording } from "../../verify/verifying_server.ts";
import { readHarFile } from "../input/inputs.ts";

/** The `--port` option of commands that start a local server. */
const PORT: Option<number> = wholeNumber(
  { default: "8080", help: "Listen on port N; 0 chooses a free port" },
  0,
  65_535,
);

/** Calls `start` with `port` and returns its result. Throws UsageError if the port is in use. */
function startOnPort<Server>(port: number, start: (port: number) => Server): Server {
  try {
    return start(port);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new UsageError(`cannot listen on port ${port}: it is in use; try \`--port 0\``);
  }
}

/** Waits for Ctrl-C or another request to end the process. */
function waitForInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const forget = io.interrupts(() => {
      forget();
      resolve();
    });
  });
}

export const demoCommand: Command = command({
  name: "demo",
  usage: "[OPTIONS]",
  about: [
    "Serves a demo shop at 127.0.0.1 until you press Ctrl-C. It has pages, a JSON API, a login (any name, " +
    `password ${PASSWORD}), rotating CSRF tokens, ids, cookies and redirects. It rejects outdated ` +
    "tokens and ids, so an unmodified recording fails.",
    "/slow?ms=200 delays a response, /flaky?percent=50 fails half of the requests, and /_stats " +
    "shows how many requests were served.",
  ],
  options: {
    port: PORT,
    slow: wholeNumber({ value: "MS", help: "Delay every response by MS milliseconds" }),
    fail: wholeNumber(
      { value: "PERCENT", help: "Respond with status 500 to PERCENT% of requests" },
      0,
      100,
    ),
    catchAll: toggle({
      help: "Respond with 200 to every path, so that a plan from any access log runs",
    }),
    sample: fileToWrite({
      value: "DIR",
      help:
        "Write an access log and a HAR of the shop to the folder DIR instead of serving the shop",
    }),
  },
  needs: ["net", "read"],
  examples: {
    "rehearse demo": "Start a target for your first plans.",
    "rehearse demo --sample samples":
      "Write samples/access.log and samples/session.har, to try out `convert`.",
    "rehearse demo --catch-all --slow 20 --fail 1":
      "Start a target that is slow and sometimes fails, for plans made from access logs.",
  },
  async run({ port, slow: slowMs, fail: failPercent, catchAll, sample, args }, io) {
    if (sample !== undefined) {
      await writeSamples(sample, args, io);
      return EXIT.OK;
    }
    const server = startOnPort(
      port,
      (port) => startDemo({ port, slowMs, failPercent, catchAll }),
    );
    // Listen for Ctrl-C before the address is printed, because the user may press it immediately.
    const ended = waitForInterrupt(io);
    io.stdout.write(`The demo shop is at ${server.origin} (press Ctrl-C to stop)\n`);
    printNext(
      "in another terminal, `rehearse demo --sample samples` writes a log and a recording to convert",
      args,
      io,
    );
    await ended;
    await server.stop();
    io.stdout.write(`Served ${server.stats().requests} requests\n`);
    return EXIT.OK;
  },
});

async function writeSamples(folder: string, args: Args, io: Io): Promise<void> {
  try {
    Deno.mkdirSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OutputError(`cannot write to ${folder}: it is a file; choose a folder`);
    }
    throw new OutputError(`cannot write ${folder}: ${systemMessage(error)}`, { cause: error });
  }
  const [log, har] = ["access.log", "session.har"].map((name) => join(folder, name));
  const existing = [log, har].find(exists);
  if (existing !== undefined) {
    throw new OutputError(`cannot write ${existing}: the file exists; choose another folder`);
  }
  await openOutputFile(log, []).write(LOG);
  await openOutputFile(har, []).write(HAR);
  const requests = count(LOG.split("\n").length - 1);
  io.stdout.write(
    safeText(`Wrote ${log} (${requests} requests in ten minutes) and ${har} (a session)`) + "\n",
  );
  printNext(
    `${commandLine("convert", log, "-o", "plan.yaml")}, or ${commandLine("init", log)}`,
    args,
    io,
  );
}

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
  examples: {
    "rehearse serve session.har": "Serve the recording on port 8080.",
    "rehearse run plan.yaml --base-url http://127.0.0.1:8080":
      "In another terminal, run the plan against the mock server instead of a real one.",
  },
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
    const differed = sent - matched - added.length;
    io.stdout.write(
      `${plural(sent, "request")}: ${matched} matched the recording, ${differed} differed, ` +
        `${added.length} not in the recording; ${plural(stale.length, "stale value")}\n`,
    );
    return EXIT.OK;
  },
});
