import { durationMs } from "../../../../base/format.ts";
import { secondsText } from "../../js/duration_text.ts";
import { conditionCode } from "../conditions/conditions.ts";
import { extractorCode } from "../extractors/extractors.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `expect` steps as JavaScript. */
export const expect: StepWriter<"expect"> = {
  write({ socket, condition, timeout, extract = [] }, scope) {
    const consequence = "the script waits for a message in vain";
    const test = condition === undefined
      ? "true"
      : conditionCode(condition, "r", scope, consequence) ?? "false";
    const seconds = secondsText(durationMs(timeout ?? scope.http.timeout ?? "30s")!);
    scope.usesResponse = true;
    const lines = extract.map((extractor) => {
      const value = extractorCode(extractor, scope);
      return `${scope.assign(extractor.name)} = ${value};`;
    });
    const parameter = condition === undefined ? "()" : "(r)";
    const wait = `await ${scope.socket(socket)}.expect(${parameter} => ${test}, ${seconds})`;
    return [`res = ${wait};`, ...lines].join("\n");
  },
};
