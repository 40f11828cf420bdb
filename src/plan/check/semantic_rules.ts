import { z } from "zod";
import { type SchemaNode, unwrap } from "../values/schema_walk.ts";
import { checkDuration } from "../rules/durations.ts";
import { checkFeeder } from "../rules/feeders.ts";
import { checkBaseUrl, checkFile, checkUrl } from "../rules/places.ts";
import {
  checkRandom,
  checkScenario,
  checkScenarios,
  checkUniform,
  startScenario,
} from "./check_scenarios.ts";
import {
  checkBase64,
  checkCss,
  checkJsonPath,
  checkRegex,
  checkRegexExtractor,
  checkXPath,
} from "../rules/syntax.ts";
import {
  checkItems,
  checkJsonTemplate,
  checkOperand,
  checkStartTemplate,
  checkTemplate,
} from "../rules/templates.ts";
import { checkRequest, checkTags } from "./sample_tags.ts";
import { checkThresholds } from "../rules/check_thresholds.ts";
import { declareVariable } from "../rules/variables.ts";
import type { DiagnosticCode } from "../rules/diagnostic.ts";
import type { CheckContext } from "../rules/check_context.ts";

/** A check of a value that goes beyond its type. A schema selects its rule by `kind` in its metadata. */
export interface SemanticRule {
  /** Diagnostic code for values that violate the schema itself (default: `bad-value`). */
  readonly code?: DiagnosticCode;
  /** Runs before the content of the value is checked. */
  enter?(context: CheckContext): void;
  /** Runs after the content of the value was checked, if its shape is valid. */
  // deno-lint-ignore no-explicit-any
  check?(context: CheckContext, value: any): void;
}

const RULES: Readonly<Record<string, SemanticRule>> = {
  duration: { code: "bad-duration", check: checkDuration },
  template: { check: checkTemplate },
  "start-template": { check: checkStartTemplate },
  "json-template": { check: checkJsonTemplate },
  url: { check: checkUrl },
  "base-url": { check: checkBaseUrl },
  file: { check: checkFile },
  regex: { check: checkRegex },
  "regex-extractor": { check: checkRegexExtractor },
  jsonpath: { check: checkJsonPath },
  css: { check: checkCss },
  xpath: { check: checkXPath },
  base64: { check: checkBase64 },
  defines: { code: "bad-name", check: declareVariable },
  operand: { check: checkOperand },
  items: { check: checkItems },
  random: { check: checkRandom },
  uniform: { check: checkUniform },
  scenario: { enter: startScenario, check: checkScenario },
  scenarios: { check: checkScenarios },
  feeder: { check: checkFeeder },
  request: { check: checkRequest },
  tags: { check: checkTags },
  thresholds: { check: checkThresholds },
};

const CACHE = new WeakMap<SchemaNode, SemanticRule | null>();

/** Returns the rule that the metadata of the schema names, or undefined. */
export function semanticRule(schema: SchemaNode | undefined): SemanticRule | undefined {
  if (schema === undefined) return undefined;
  let rule = CACHE.get(schema);
  if (rule === undefined) {
    const name = z.globalRegistry.get(unwrap(schema))?.kind as string | undefined;
    CACHE.set(schema, rule = name === undefined ? null : RULES[name]);
  }
  return rule ?? undefined;
}
