import { allOf, type ConditionWriter } from "./condition_writer.ts";

/** Writes `size` conditions as JavaScript. */
export const size: ConditionWriter<"size"> = {
  write({ name, min, max, equals }, r, { script }) {
    script.note(
      "k6-size",
      name ?? "size",
      "the script reads Content-Length, or measures the decompressed body",
    );
    const bytes = `${script.use("bodySize")}(${r})`;
    return allOf([
      `${r}.status !== 0`,
      ...(min === undefined ? [] : [`${bytes} >= ${min}`]),
      ...(max === undefined ? [] : [`${bytes} <= ${max}`]),
      ...(equals === undefined ? [] : [`${bytes} === ${equals}`]),
    ]);
  },
};
