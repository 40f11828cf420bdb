import { UsageError } from "../../../base/errors.ts";
import { nestMembers } from "../formats/named_format.ts";
import { JsonSplitter } from "../read/json_splitter.ts";
import type { JsonFields } from "../read/line_splitter.ts";
import type { LogField } from "../read/log_fields.ts";
import type { LogFormat } from "../read/log_format.ts";

/**
 * Returns a variant of `format` that reads the client from the field `name`. `name` is the path of
 * a JSON member, the name in a `name=value` pair, or a column of a `#Fields:` line. Throws
 * `UsageError` if lines in the format have no field names.
 */
export function readClientFrom(format: LogFormat, name: string): LogFormat {
  const changed = {
    ...format,
    forwardedIsClient: true,
    clientChange: { format, client: name },
  };
  if (format.hasFieldNames) return { ...changed, splitter: () => format.splitter(name) };
  const members = format.splitter().shape?.members;
  if (members === undefined) {
    throw new UsageError(
      `--client cannot be ${name}: lines in the format ${format.name} have no field names; describe ` +
        "the lines with `--log-format`, and set `--client` to one of its variables",
    );
  }
  const fields = Object.fromEntries([...memberPaths(members)]);
  const splitter = () => new JsonSplitter(nestMembers({ ...fields, [name]: "forwarded" }));
  return { ...changed, splitter };
}

/** Yields the path and the field of each member, except members with the `forwarded` field. */
function* memberPaths(
  members: JsonFields,
  start = "",
): Generator<readonly [path: string, field: LogField]> {
  for (const [name, field] of Object.entries(members)) {
    if (typeof field !== "string") yield* memberPaths(field, `${start}${name}.`);
    else if (field !== "forwarded") yield [start + name, field];
  }
}
