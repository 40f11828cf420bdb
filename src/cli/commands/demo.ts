import { startDemo } from "../../demo/server.ts";
import { PASSWORD } from "../../demo/shop.ts";
import type { Command } from "../command.ts";
import { parseWholeNumber } from "../number_flag.ts";
import { interrupted, PORT_FLAG, startedAt } from "../serving.ts";

/** `rehearse demo`. */
export const demoCommand: Command = {
  name: "demo",
  summary: "Start a small shop on this machine to try plans on",
  usage: "[OPTIONS]",
  about: [
    "Serves a demo shop at 127.0.0.1 until Ctrl-C: pages, a JSON API, a login (any name, password " +
    `${PASSWORD}), CSRF tokens that rotate, ids, cookies and redirects. What it handed out earlier ` +
    "is refused later, so that a recording replayed as it is fails.",
    "/slow?ms=200 and /flaky?percent=50 misbehave as asked; /_stats tells what was served.",
  ],
  flags: [
    PORT_FLAG,
    { name: "slow", value: "MS", help: "Hold every answer back for so many milliseconds" },
    { name: "fail", value: "PERCENT", help: "Answer 500 to so many of a hundred requests" },
    { name: "seed", value: "N", help: "Another choice of which requests fail (default 1)" },
    { name: "catch-all", help: "Say 200 to every path, so that a plan from any access log runs" },
  ],
  examples: [
    { command: "rehearse demo", does: "a target for the first steps" },
    {
      command: "rehearse demo --catch-all --slow 20 --fail 1",
      does: "a target for plans made from access logs, slow and with failures",
    },
  ],
  async run(args, io) {
    const server = startedAt(args, (port) =>
      startDemo({
        port,
        slowMs: parseWholeNumber(args, "slow"),
        failPercent: parseWholeNumber(args, "fail"),
        seed: parseWholeNumber(args, "seed"),
        catchAll: args.has("catch-all"),
      }));
    const ended = interrupted(io); // before anybody is told that it is there, and may end it
    io.stdout.write(`The demo shop is at ${server.origin} (Ctrl-C ends it)\n`);
    await ended;
    await server.stop();
    io.stdout.write(`${server.stats().requests} requests were served\n`);
    return 0;
  },
};
