import { safeText, shellWord } from "../../base/safe_text.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";

/** Values of `--format` and `--warnings` for which `printNext` prints nothing. */
const FOR_PROGRAMS = ["json", "github", "html"];

/**
 * Prints the suggested next step, as `next: …`, to standard error. Hides passwords in URLs. Prints
 * nothing with `--quiet`, or if `--format` or `--warnings` requests an output format for programs,
 * such as `json`.
 */
export function printNext(text: string, args: Args, io: Io): void {
  const formats = [args.text("format"), args.text("warnings")];
  if (args.has("quiet") || formats.some((format) => FOR_PROGRAMS.includes(format ?? ""))) return;
  io.stderr.write(safeText(`next: ${hidePasswords(text)}`) + "\n");
}

/** Formats a command line in backticks. Quotes words that a shell would split. */
export function commandLine(...words: readonly string[]): string {
  return `\`${["rehearse", ...words].map(shellWord).join(" ")}\``;
}

/**
 * Reports whether an output goes to a named file, which means that the next command can read the
 * file.
 */
export function isNamed(path: string | undefined): path is string {
  return path !== undefined && path !== "-" && !path.startsWith("/dev/");
}

/**
 * Returns the next step to suggest if no request got a response. `servers` are the origins of the
 * targets, and `errors` are the messages of the errors, if known.
 */
export function checkAddress(servers: readonly string[], errors: readonly string[] = []): string {
  const all = servers.join(", ");
  const [address, running] = servers.length === 1
    ? ["the right address", "its server is running"]
    : ["the right addresses", "their servers are running"];
  const verb = servers.length === 1 ? "is" : "are";
  // A server that starts a TLS handshake is running.
  return errors.length > 0 && errors.every((error) => error.includes(": TLS handshake failed: "))
    ? `fix the TLS error above, or check that ${all} ${verb} ${address}`
    : `check that ${all} ${verb} ${address} and that ${running}`;
}
