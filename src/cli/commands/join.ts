import { isAbsolute, normalize } from "@std/path";
import { InputError, UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { realClock } from "../../engine/vu/clock.ts";
import { prepareRun } from "../../engine/run_plan.ts";
import { joinRun, type ShardJob } from "../../fleet/join_run.ts";
import { secretFiles } from "../../plan/request_texts.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { type Command, EXIT } from "../command/command.ts";
import { command, duration, fileToWrite, parsed, text, toggle } from "../command/options.ts";
import { openFleet } from "../run/open_fleet.ts";
import { schedulerIndex } from "../run/shard_index.ts";
import { fileReader, pathResolver } from "../input/read_documents.ts";
import { openReportFiles } from "../output/output_file.ts";
import { runEnvironment } from "../run/plan_to_run.ts";
import { locateUnixSockets, planNetwork, preflight } from "../run/targets.ts";
import { WORKERS } from "../run/run_options.ts";
import { planRedactor } from "../../engine/flow/constants.ts";
import { readEnv, readGrantedEnv } from "../system/io.ts";
import { listenForInterrupts } from "../system/signals.ts";

export const joinCommand: Command = command({
  name: "join",
  usage: "[OPTIONS]",
  expects: { what: "no files, because the plan comes from the leader", min: 0, max: 0 },
  about: [
    "Waits for a leader (`rehearse run PLAN --fleet ADDRESS --shards N`), which sends the plan, " +
    "its data files and a shard. Starts at the same time as all other shards, and reports the shard's " +
    "counts every second. The leader evaluates the thresholds and writes the reports.",
    "The index of the shard comes from JOB_COMPLETION_INDEX, SLURM_PROCID, NOMAD_ALLOC_INDEX or " +
    "AWS_BATCH_JOB_ARRAY_INDEX if one of them is set, otherwise from the leader.",
    "Secrets are not sent over the bus. The process reads the environment variables that the plan " +
    "names, and files with secrets from the current folder. The plan decides where requests go: let " +
    "only trusted processes connect to the bus.",
    "Exit codes: 0 the leader has received the result; 1 it has not, or the shard could not run; 2 the " +
    "command line is invalid; 130 the shard was interrupted.",
  ],
  options: {
    fleet: text({
      value: "ADDRESS",
      otherwise: "the environment variable REHEARSE_FLEET",
      help: "Message bus and name of the run: nats://HOST:PORT/RUN",
    }),
    joinTimeout: duration({
      default: "2m",
      help: "Maximum time to wait for the bus and for the leader",
    }),
    orphanTimeout: duration({
      otherwise: "the leader's value",
      help: "Stop the shard after this time without a leader",
    }),
    planHash: parsed(
      { value: "HASH", help: "Run only the plan with this hash, which the leader prints" },
      "a SHA-256 in hexadecimal, as the leader prints it",
      (text) => /^[0-9a-f]{64}$/.test(text) ? text : undefined,
    ),
    workers: WORKERS,
    summaryExport: fileToWrite({
      help: "Write the summary of the shard to FILE as JSON, for `rehearse merge`",
    }),
    quiet: toggle({ help: "Print nothing but errors" }),
  },
  needs: ["read", "net", "env"],
  examples: {
    "rehearse join --fleet nats://bus.example:4222/checkout":
      "Run one shard of the run `checkout`.",
  },
  async run({ joinTimeout, orphanTimeout, planHash, workers, quiet, args, ...given }, io) {
    const address = given.fleet ?? readEnv("REHEARSE_FLEET");
    if (address === undefined) throw new UsageError("expected `--fleet nats://HOST:PORT/RUN`");
    const note = (text: string) => {
      if (!quiet) io.stderr.write(safeText(hidePasswords(text)) + "\n");
    };
    const index = schedulerIndex(readGrantedEnv) ?? null;
    using files = openReportFiles({ summary: given.summaryExport }, [], io);
    const clock = realClock();
    let threads = 1;
    const { stop, kill } = listenForInterrupts(io, () => note("stopping"));
    const fleet = await openFleet(address, joinTimeout, note);
    try {
      const { summary, plan, problem } = await joinRun({
        ...fleet,
        clock,
        index,
        orphanMs: orphanTimeout,
        planHash,
        async prepare(job) {
          const prepared = await prepareShard(job, workers);
          threads = prepared.workers;
          return prepared;
        },
        note,
        stop,
        kill,
      });
      const redact = planRedactor(plan, { readFile: localSecrets(plan), readEnv });
      const environment = runEnvironment({
        plan,
        path: "-",
        args,
        readEnv,
        redact,
        workers: threads,
      });
      await files.write({ ...summary, environment });
      note(problem ?? "the leader has received the result");
      if (problem !== undefined) return EXIT.FAILED;
      return stop.aborted ? EXIT.INTERRUPTED : EXIT.OK;
    } finally {
      await fleet.channel.bus.close();
      clock.close();
    }
  },
});

async function prepareShard({ plan, files, shard, seed }: ShardJob, workers: number | undefined) {
  const readSecret = localSecrets(plan);
  const readFile = (path: string) => files.get(path) ?? readSecret(path);
  const located = locateUnixSockets(plan, pathResolver("-"));
  await preflight(located, "the leader's plan", readEnv);
  return await prepareRun(plan, {
    readFile,
    readEnv,
    network: planNetwork(located, readFile),
    shard,
    seed,
    workers,
    details: true,
  });
}

/**
 * Creates a function that reads the secret files that a plan names. These files must be in the
 * current folder. The function refuses to read any other file, because the plan comes from the
 * message bus.
 */
function localSecrets(plan: ShardJob["plan"]): (path: string) => Uint8Array {
  const secret = new Set(secretFiles(plan));
  const read = fileReader("-");
  return (path) => {
    const isInside = !isAbsolute(path) && !normalize(path).startsWith("..");
    if (secret.has(path) && isInside) return read(path);
    const reason = secret.has(path)
      ? "files with secrets must be in the current folder of `rehearse join`"
      : "the leader did not send this file";
    throw new InputError(`cannot read ${path}: ${reason}`, { source: "the leader's plan" });
  };
}
