import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import { formatThousands } from "../../base/format.ts";
import { needsAction, type Note } from "../../convert/notes/notes.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import { type Args, type Command, EXIT } from "../command/command.ts";
import { command } from "../command/options.ts";
import { convertRecording } from "../convert/convert_har.ts";
import {
  convertAtLogRate,
  convertLog,
  convertSession,
  findBusiest,
  type LogTask,
  observeLog,
} from "../convert/convert_log.ts";
import {
  CONVERT_OPTIONS,
  type ConvertGiven,
  harOptions,
  refuseOthers,
  withFaithful,
} from "../convert/convert_options.ts";
import { logSettings } from "../convert/log_settings.ts";
import {
  type Conversion,
  inputShard,
  openConvertOutputs,
  writeConversion,
} from "../convert/write_conversion.ts";
import { inputKind, kindOfName } from "../input/input_kind.ts";
import { isUrl, openInputs } from "../input/open_inputs.ts";
import { printNotes, progressLine } from "../output/messages.ts";
import type { Io } from "../system/io.ts";

export const convertCommand: Command = command({
  name: "convert",
  usage: "FILE... [OPTIONS]",
  takes: "files",
  expects: {
    what: "an access log or a HAR file to convert, or - for standard input",
    max: Infinity,
  },
  about: [
    "Reads an access log or a HAR file (plain, .gz or .zst) and writes a plan in YAML. Several log " +
    "files are read as one log. `-` is standard input. FILE may be a URL: https://…, or s3://BUCKET/KEY " +
    "for an object or for all objects whose key starts with KEY.",
    "Warnings on standard error list everything that was approximated or excluded, or that you must " +
    "complete. " +
    "Lines that start with `info` need no action.",
    "Exit codes: 0 the plan was written; 1 an input could not be converted, or an output could not " +
    "be written; 2 the command line is invalid; 3 a warning needs action (with --strict).",
  ],
  options: CONVERT_OPTIONS,
  needs: [],
  needsFor: { needs: ["net", "env"], applies: needsNetwork },
  examples: {
    "rehearse convert access.log -o plan.yaml":
      "Make a plan that sends the log's mix of requests at its average rate.",
    "rehearse convert access.log --faithful -o plan.yaml":
      "Replay the log: its visits with their URLs and pauses, at their recorded times.",
    "rehearse convert session.har -o plan.yaml":
      "Replay a browser session, with live tokens and ids instead of the recorded ones.",
    "rehearse convert session.har --verify -o plan.yaml":
      "Also check offline that the plan replays the recording.",
  },
  run: runConvert,
});

async function runConvert(asGiven: ConvertGiven, io: Io): Promise<number> {
  const given = withFaithful(asGiven);
  const { positionals: paths } = given.args;
  const read = [given.har, given.again, given.login].filter((path) => path !== undefined);
  using outputs = openConvertOutputs(given, [...paths, ...read], io);
  using line = progressLine(io.stderr);
  const { busiest, logFormat, json } = given;
  const forced = given.from ?? (logFormat ?? json ? "accesslog" : undefined);
  const likely = forced ?? kindOfName(paths[0]);
  if (likely !== undefined) refuseOthers(given, likely);
  const window = busiest === undefined ? undefined : await findBusiest(given, busiest, io);
  const settings = await logSettings(given, window);
  const shard = inputShard(given);
  const kindOf = (source: ByteSource) => forced ?? inputKind(source);
  using opened = await openInputs(paths, io.stdin, kindOf, shard);
  const { inputs, repeated } = opened;
  const task = { inputs, settings, outputs, progress: line.update, now: io.now() };
  if (shard !== undefined) {
    const { text, inputNotes } = await profileShard(task, shard);
    line.clear();
    const notes = [...repeated, ...inputNotes];
    printNotes(notes, given.warnings, io);
    io.stderr.write(text);
    return given.strict && needsAction(notes) ? EXIT.STRICT : EXIT.OK;
  }
  const conversion = await convert(task, given, io);
  line.clear();
  return await writeConversion(conversion, repeated, outputs, given, io);
}

function needsNetwork(args: Args): boolean {
  return [...args.positionals, args.text("profile") ?? ""].some(isUrl) ||
    args.text("shard") === "auto";
}

async function profileShard(
  task: LogTask,
  shard: Shard,
): Promise<{ text: string; inputNotes: readonly Note[] }> {
  const { inputs } = task;
  const name = formatShard(shard);
  if (inputs.length === 0) {
    return { text: `shard ${name} has no inputs; no profile was written\n`, inputNotes: [] };
  }
  const other = inputs.find(({ kind }) => kind !== "accesslog");
  if (other !== undefined) {
    throw new InputError("--shard works only for access logs", { source: other.source.name });
  }
  const { profile, profileText, inputNotes } = await observeLog(task);
  await task.outputs.profile?.write(profileText!);
  const logs = inputs.length === 1 ? "1 log" : `${formatThousands(inputs.length)} logs`;
  const text = `shard ${name}: profiled ${formatThousands(profile.requests)} requests of ${logs}\n`;
  return { text, inputNotes };
}

async function convert(task: LogTask, given: ConvertGiven, io: Io): Promise<Conversion> {
  const { har, login } = given;
  const kind = task.inputs.some(({ kind }) => kind === "har") ? "har" : "accesslog";
  refuseOthers(given, kind);
  const options = harOptions(given);
  if (har !== undefined) return await convertAtLogRate(har, options, task, io);
  if (kind === "har") return await convertRecording(task.inputs, given, task.progress, io);
  if (login === undefined) return await convertLog(task);
  // `--checks` refers to the log.
  const { plan } = await convertSession(login, { ...options, checks: undefined }, io);
  return await convertLog({ ...task, login: plan });
}
