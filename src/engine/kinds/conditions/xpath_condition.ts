import { READS_BODY } from "../../../extract/response_view.ts";
import { compileCount } from "./comparison.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";
import { xpath as extractor } from "../../../extract/xpath.ts";

/** `xpath` condition: tests whether an XPath expression selects a node of the page. */
export const xpath: ConditionRuntime<"xpath"> = {
  reads: READS_BODY,
  compile({ expression, exists, count }) {
    const find = extractor.find({ type: "xpath", expression });
    const isCount = compileCount(count);
    if (isCount) return ({ received }) => isCount([...find(received)].length);
    return ({ received }) => ([...find(received)].length > 0) === (exists ?? true);
  },
};
