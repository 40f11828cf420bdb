import { z } from "zod";
import { type SchemaNode, unwrap } from "../schema/branch.ts";
import { checkDuration } from "./durations.ts";
import { checkFeeder } from "./feeders.ts";
import { checkBaseUrl, checkFile, checkUrl } from "./places.ts";
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
} from "./syntax.ts";
import {
  checkItems,
  checkJsonTemplate,
  checkOperand,
  checkStartTemplate,
  checkTemplate,
} from "./templates.ts";
import { checkRequest, checkTags } from "./sample_tags.ts";
import { checkThresholds } from "./check_thresholds.ts";
import { declareVariable } from "./variables.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { CheckContext } from "./check_context.ts";

/** What a part of the schema means beyond its shape; the schema names it by `kind` in its metadata. */
export interface SemanticRule {
  /** The code of a value that breaks the schema's own rule. */
  readonly code?: DiagnosticCode;
  /** Before what is within is checked. */
  enter?(walk: CheckContext): void;
  /** Once the shape is known to hold, what is within checked. */
  // deno-lint-ignore no-explicit-any
  check?(walk: CheckContext, value: any): void;
}

const KINDS: Readonly<Record<string, SemanticRule>> = {
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

const FOUND = new WeakMap<SchemaNode, SemanticRule | null>();

/** The kind that the schema's metadata names. */
export function semanticRule(schema: SchemaNode | undefined): SemanticRule | undefined {
  if (schema === undefined) return undefined;
  let kind = FOUND.get(schema);
  if (kind === undefined) {
    const name = z.globalRegistry.get(unwrap(schema))?.kind as string | undefined;
    FOUND.set(schema, kind = name === undefined ? null : KINDS[name]);
  }
  return kind ?? undefined;
}
