import { isMap } from "../../../base/exact_number.ts";
import { safeText } from "../../../base/safe_text.ts";
import type { LogFormat } from "../read/log_format.ts";
import {
  COMBINED,
  detectFormat,
  findContainer,
  parseJson,
  resolveFormats,
  resolveJson,
  unwrapLines,
} from "./formats.ts";

export interface FormatGuess {
  /** Such as `HAProxy's httplog`. */
  readonly looksLike: string;
  /** True if the lines are JSON objects. */
  readonly isJson?: boolean;
  /** Columns of a request that a W3C log lacks. */
  readonly missing?: readonly string[];
  /** Makes at least one line of the log readable; absent if no option does. */
  readonly option?: readonly [name: "--log-format" | "--json", value: string];
  readonly format?: LogFormat;
  /** Command that converts the file, given last, to text; absent if not needed. */
  readonly filter?: string;
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
const VARIABLES: readonly (readonly [shape: RegExp, variable: string])[] = [
  [/^[A-Z]+ \S.* HTTP\/\d(?:\.\d)?$/, "$request"],
  [METHOD, "$request_method"],
  [/^(?:\/|https?:\/\/)\S*$/, "$request_uri"],
  [/^\d\d\/[A-Z][a-z]{2}\/\d{4}[: ]\d\d:\d\d:\d\d/, "$time_local"],
  [/^\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d/, "$time_iso8601"],
  [/^1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?$/, "$msec"],
  [/^(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]*:[\da-f:]*:[\da-f:]*)$/i, "$remote_addr"],
  [/^[1-5]\d\d$/, "$status"],
];
const TIMES: ReadonlySet<string> = new Set(["$time_local", "$time_iso8601", "$msec"]);
const MAX_LINE_CHARACTERS = 8_192;
const MAX_DESCRIBED = 5;
const MAX_MEMBERS = 12;
/** Shapes of values and names for `--json`. A shape of many values needs a name. */
const JSON_FIELDS: readonly {
  readonly field: string;
  readonly shape: RegExp;
  readonly name: RegExp;
  readonly needsName?: true;
}[] = [
  { field: "request", shape: shapeOf("$request"), name: /req/i },
  { field: "method", shape: METHOD, name: /method|verb/i },
  { field: "url", shape: shapeOf("$request_uri"), name: /ur[il]|path|target/i },
  {
    field: "time",
    shape: new RegExp([...TIMES].map((time) => shapeOf(time).source).join("|")),
    name: /start|time|date|ts$/i,
  },
  { field: "client", shape: shapeOf("$remote_addr"), name: /client|remote|addr|ip$/i },
  { field: "status", shape: shapeOf("$status"), name: /status|code/i, needsName: true },
  { field: "query", shape: /^\??[^/\s]*$/, name: /quer|args$/i, needsName: true },
  {
    field: "host",
    shape: /^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/,
    name: /host$|authority/i,
    needsName: true,
  },
  { field: "agent", shape: /\S/, name: /agent/i, needsName: true },
];

const EXACT_NAME = /^(?:status|ur[il]|path|method|@?timestamp|time|ts|start(?:utc|_?time))$/i;
const OTHER_NAME =
  /(?:^|\.)(?:upstream|referr?er|redirect|backend|area|country|zip|bytes|deployed|cert|allowed|caller|file|(?:db|sql|gql|fn)_)|override/i;

function shapeOf(variable: string): RegExp {
  return VARIABLES.find(([, name]) => name === variable)![0];
}

/** Decides the format by the first bytes, else the first of `allowed`, or the combined format. */
export function chooseFormat(
  head: Uint8Array,
  allowed: readonly LogFormat[] | undefined,
  isWhole: boolean,
): LogFormat {
  return detectFormat(head, allowed, isWhole) ?? allowed?.[0] ?? guessJson(head) ?? COMBINED;
}

/** Returns undefined without a status or a request line, as in a list of routes. */
export function guessJson(head: Uint8Array): LogFormat | undefined {
  const guess = guessFormat(head);
  const [name, value] = guess?.option ?? [];
  return name === "--json" && /\b(?:status|request)=/.test(value!) ? guess!.format : undefined;
}

/** Returns undefined if it cannot guess from the first bytes. */
export function guessFormat(head: Uint8Array): FormatGuess | undefined {
  const container = findContainer(head);
  if (container !== undefined) return container;
  const text = new TextDecoder().decode(head.slice(0, MAX_LINE_CHARACTERS * 4));
  const lines = text.split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "" && line.length <= MAX_LINE_CHARACTERS);
  const missing = missingColumns(text);
  if (missing.length > 0) return { looksLike: "a W3C log", missing };
  const inner = unwrapLines(lines);
  const membersOf = (lines: readonly string[]) =>
    lines.map((line) => [...listMembers(parseJson(line) ?? {})])
      .filter((members) => members.length > 0);
  const objects = [inner, lines].map(membersOf).find((objects) => objects.length > 0);
  if (objects !== undefined) {
    const names = objects[0].map(([path]) => path);
    const others = names.length - MAX_MEMBERS;
    const looksLike = `JSON with the members ${names.slice(0, MAX_MEMBERS).join(", ")}` +
      (others > 0 ? ` and ${others} more` : "");
    // An application also logs events that are not requests.
    const requests = objects.filter((members) =>
      members.some(([, value]) => METHOD.test(value) || shapeOf("$request").test(value))
    );
    const unsuitable = findUnsuitable(requests);
    const values = new Set(
      requests.map((members) => describeJson(members, unsuitable))
        .filter((text) => /\b(?:method|request)=/.test(text)),
    );
    const found = bestOption(head, "--json", [...values].slice(0, MAX_DESCRIBED));
    return { looksLike, isJson: true, ...found };
  }
  const few = [inner, lines].flatMap((lines) => lines.slice(0, MAX_DESCRIBED));
  const found = bestOption(head, "--log-format", [...new Set(few.map(describeText))]);
  const isLogfmt = few.some((line) => /^\s*\w+=\S.*\s\w+=/.test(line));
  if (isLogfmt) return { looksLike: "logfmt (name=value)", ...found };
  return found.option && { looksLike: "text with these fields", ...found };
}

function missingColumns(text: string): string[] {
  const fields = /^#Fields:(.*)/m.exec(text)?.[1].toLowerCase().replaceAll("-local", "");
  const columns = fields?.trim().split(/\s+/).map((name) =>
    name.replace(/^cs-uri(?:-path)?$/, "cs-uri-stem")
  );
  const needed = ["date", "time", "cs-method", "cs-uri-stem"];
  return columns === undefined ? [] : needed.filter((name) => !columns.includes(name));
}

/** Picks the best value. Tries each also without its status, which may be another number. */
function bestOption(
  head: Uint8Array,
  name: "--log-format" | "--json",
  values: readonly string[],
): Pick<FormatGuess, "option" | "format"> {
  const candidates = values.flatMap((text) => [
    text,
    text.replace(/,status=[^,]*|\$status/, (status) => status === "$status" ? "$_" : ""),
  ]);
  const formats = candidates.flatMap((text) => {
    try {
      return name === "--json" ? resolveJson(text) : resolveFormats(text);
    } catch {
      // The value is invalid, for example because it lacks a field for the time.
      return [];
    }
  });
  const best = detectFormat(head, formats);
  return best === undefined ? {} : { option: [name, best.definition!], format: best };
}

type Members = readonly (readonly [path: string, value: string])[];

/** Paths of members that cannot be the field. */
function findUnsuitable(requests: readonly Members[]): ReadonlyMap<string, ReadonlySet<string>> {
  const valuesAt = new Map<string, string[]>();
  for (const [path, value] of requests.flat()) {
    valuesAt.getOrInsertComputed(path, () => []).push(value);
  }
  const fitting = (field: string) => {
    const { shape } = JSON_FIELDS.find((known) => known.field === field)!;
    return [...valuesAt].filter(([, values]) =>
      values.length === requests.length && values.every((value) => shape.test(value))
    );
  };
  const statuses = fitting("status").map(([path]) => path);
  const times = fitting("time").map(([path, values]) => ({ path, isFixed: isConstant(values) }));
  const fixed = times.some(({ isFixed }) => !isFixed) ? times.filter(({ isFixed }) => isFixed) : [];
  return new Map([
    ["status", new Set([...valuesAt.keys()].filter((path) => !statuses.includes(path)))],
    ["time", new Set(fixed.map(({ path }) => path))],
  ]);
}

function isConstant(values: readonly string[]): boolean {
  return values.every((value) => value === values[0]);
}

/** Ignores names that cannot be part of a `--json` value, and members `unsuitable` for a field. */
function describeJson(
  members: Members,
  unsuitable: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const left = members.filter(([path]) => !path.includes(",") && safeText(path) === path);
  const found = JSON_FIELDS.flatMap(({ field, shape, name, needsName }) => {
    const fitting = left.filter(([path, value]) =>
      shape.test(value) && !OTHER_NAME.test(path) && !unsuitable.get(field)?.has(path)
    );
    const named = fitting.filter(([path]) => name.test(lastName(path)));
    // A number from 100 to 599 in each request is a status if there is only one.
    const mayBeUnnamed = !needsName || field === "status" && fitting.length === 1;
    const member = named.find(([path]) => EXACT_NAME.test(lastName(path))) ?? named[0] ??
      (mayBeUnnamed ? fitting[0] : undefined);
    if (member === undefined) return [];
    left.splice(left.indexOf(member), 1);
    return [[field, ...member]];
  });
  const hasQuery = found.some(([field]) => field === "query");
  return found.map(([field, path, value]) => {
    const isPath = field === "url" && hasQuery && /^\/[^?]*$/.test(value);
    return `${isPath ? "path" : field}=${path}`;
  }).join(",");
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** Text with a timestamp and other words, or with a method and a target without a version. */
const SEVERAL = /^(?:\d{4}-\d\d-\d\dT\S+ +[^\s+-]|(?!.* HTTP\/)[A-Z]+ (?:\/|https?:))/;

/** Replaces each word, string and value with a variable, and each tab with `\t`. */
function describeText(line: string): string {
  const next = variablePicker();
  const word =
    /(\w+=|(?<=^|\t)[a-z]\w*:(?!:))?(?:"((?:\\.|[^"\\])*)"|\[([^\]]*)\]|(\d[\w/-]{5,}[ T:]\d\d:[\d:.,]+(?:Z| ?[+-]\d\d:?\d\d)?|[^ \t|;,]+))/g;
  const describe = (text: string): string =>
    text.replace(
      word,
      (_, start?: string, quoted?: string, bracketed?: string, bare?: string) => {
        const value = quoted ?? bracketed ?? bare!;
        const isSeveral = bare === undefined && SEVERAL.test(value);
        const variable = isSeveral ? describe(value) : next(value, start);
        if (quoted !== undefined) return `${start ?? ""}"${variable}"`;
        return (start ?? "") + (bracketed === undefined ? variable : `[${variable}]`);
      },
    );
  return truncateFormat(describe(line.replaceAll("$", ""))).replaceAll("\t", "\\t");
}

/** Picks each known variable once, and `$status` if the name fits; else a placeholder. */
function variablePicker(): (value: string, name?: string) => string {
  const used = new Set<string>();
  let others = 0;
  return (value, name = "status") => {
    const isStatus = /status|code/i.test(name);
    const found = VARIABLES.find(([shape, variable]) =>
      shape.test(value) && isNew(variable) && (isStatus || variable !== "$status")
    );
    if (found === undefined) return `$_${++others}`;
    for (const time of TIMES.has(found[1]) ? TIMES : [found[1]]) used.add(time);
    return found[1];
  };

  function isNew(variable: string): boolean {
    return !used.has(variable);
  }
}

/** The rest of a line after its last known variable and delimiter is not needed. */
function truncateFormat(format: string): string {
  const known = VARIABLES.map(([, variable]) => format.indexOf(variable) + variable.length);
  const end = Math.max(
    ...VARIABLES.map(([, variable], i) => format.includes(variable) ? known[i] : 0),
  );
  return format.slice(0, end) + (/^["\]},|;]/.exec(format.slice(end))?.[0] ?? "");
}

/** Maximum nesting depth of the JSON objects that `listMembers` searches. */
const MAX_DEPTH = 4;

/** Yields members with paths such as `outer.inner`. Values other than strings become JSON. */
function* listMembers(
  object: object,
  start = "",
  depth = 0,
): Generator<readonly [path: string, value: string]> {
  for (const [name, value] of Object.entries(object)) {
    const path = start + name;
    if (isMap(value) && depth < MAX_DEPTH) yield* listMembers(value, `${path}.`, depth + 1);
    else yield [path, typeof value === "string" ? value : JSON.stringify(value)];
  }
}
