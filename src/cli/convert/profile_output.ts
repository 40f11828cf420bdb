import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Shard } from "../../plan/partition.ts";
import { writeRemote } from "../../storage/open_remote.ts";
import { parseWholeNumber } from "../command/args.ts";
import type { Args } from "../command/command.ts";
import { selectedShard, shardOption } from "../fleet/shard_index.ts";
import { isUrl } from "../input/open_inputs.ts";
import { openOutput, type OutputFile } from "../output/output_file.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";

/**
 * Returns the shard of the inputs that `--shard` selects, or undefined if the option was not given.
 * Throws UsageError if the option is invalid or contradicts other options.
 */
export function inputShard(args: Args): Shard | undefined {
  const given = args.text("shard");
  if (given === undefined) {
    if (!args.has("shards")) return undefined;
    throw new UsageError("--shards needs `--shard auto`");
  }
  if (!args.has("profile")) {
    throw new UsageError(
      "--shard needs --profile: a shard writes a profile, and convert makes the plan from the profiles later",
    );
  }
  const other = ["output", "html", "busiest"].find((name) => args.has(name));
  if (other !== undefined) {
    throw new UsageError(
      `--${other} cannot be combined with --shard: a shard writes only the profile of its inputs`,
    );
  }
  const shard = shardOption("").read([given], "shard")!;
  return selectedShard(shard, parseWholeNumber(args, "shards", 1), readGrantedEnv);
}

/**
 * Opens the output that `--profile` specifies. If the given path or S3 URL ends with `/`, appends a
 * file name, which contains the number of the shard if `--shard` is given. Throws OutputError if
 * the path cannot be written, and UsageError if it is one of `inputs` or a URL that cannot be
 * written.
 */
export function openProfileOutput(args: Args, inputs: readonly string[], io: Io): OutputFile {
  const given = args.text("profile")!;
  const path = given.endsWith("/") ? given + profileName(inputShard(args)) : given;
  if (!isUrl(path)) {
    return openOutput(path, inputs, io);
  }
  if (!/^s3:/i.test(path)) {
    throw new UsageError(
      `cannot write to ${safeSnippet(path)}: expected a path or s3://BUCKET/KEY`,
    );
  }
  return {
    async write(...pieces) {
      await writeRemote(path, pieces.join(""));
    },
    discard() {},
  };
}

function profileName(shard: Shard | undefined): string {
  if (shard === undefined) return "profile.json";
  const digits = `${shard.of}`.length;
  return `profile-${`${shard.index + 1}`.padStart(digits, "0")}-of-${shard.of}.json`;
}
