import { InputError } from "../base/errors.ts";
import { isMap } from "../base/exact_number.ts";
import { readRows } from "../engine/vu/data_source.ts";
import { call, type Expression } from "../plan/expressions/expression.ts";
import { listRequests, mapPlanSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import { mapRequestTexts, type RequestText, requestTexts } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { withMovedHeaders } from "../plan/targets.ts";
import { joinTemplate, literal } from "../plan/text/template.ts";
import { findMainOrigin, httpOrigin, originMover } from "../traffic/har/origins.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { ROLE } from "../traffic/session/secret_names.ts";
import { PROVING_LOAD } from "./attempts.ts";
import { isWeak, replaceLiteral } from "./literal_edit.ts";

/** A plan whose requests go to the target of a calibration. */
export interface AimedPlan {
  readonly plan: Plan;
  /** Recorded origin that the target replaces. Equal to `target` if the plan is not moved. */
  readonly recorded: string;
  /** Origin of the target, such as `http://127.0.0.1:8080`. */
  readonly target: string;
}

/**
 * Moves a plan from the recorded origin to the origin of `baseUrl`, the target. Does not move the
 * plan if the recording has calls to the target, because the other recorded origins then belong to
 * the same system. `source` is the name of the recording in error messages. Throws InputError if no
 * request in the plan refers to an entry in the recording, or if the target is unknown because
 * `baseUrl` (by default the plan's own base URL) is not a complete URL.
 */
export function aimPlan(
  plan: Plan,
  recording: Recording,
  baseUrl: string | undefined,
  source: string,
): AimedPlan {
  const exchanges = taggedExchanges(plan, recording);
  const main = findMainOrigin(exchanges)?.origin;
  if (main === undefined) {
    throw new InputError(
      "cannot calibrate: no request in the plan refers to an entry in this recording " +
        '(`tags: {recorded: "1"}`); convert the recording again',
      { source },
    );
  }
  const own = plan.defaults?.http?.base_url;
  const target = URL.parse(baseUrl ?? own ?? main)?.origin;
  if (target === undefined) {
    throw new InputError("cannot calibrate: the target is unknown; add `--base-url URL`", {
      source,
    });
  }
  const origins = new Set(exchanges.map(({ request }) => httpOrigin(request.url)));
  if (origins.has(target)) {
    return { plan: withHttp(plan, { base_url: own ?? main }), recorded: target, target };
  }
  const base = own === undefined ? undefined : URL.parse(own)?.origin;
  const recorded = base !== undefined && origins.has(base) ? base : main;
  // An overlay may already have moved the headers to its base URL.
  const prepared = withMovedHeaders(plan, literal(target));
  const moved = movePlan(prepared, originMover(recorded, target), baseUrl ?? target);
  return { plan: moved, recorded, target };
}

function taggedExchanges(plan: Plan, { exchanges }: Recording): Exchange[] {
  const byEntry = new Map(exchanges.map((exchange) => [exchange.index + 1, exchange]));
  return listAll(plan).flatMap((request) => byEntry.get(recordedEntry(request) ?? 0) ?? []);
}

function withHttp(plan: Plan, http: NonNullable<Plan["defaults"]>["http"]): Plan {
  return { ...plan, defaults: { ...plan.defaults, http: { ...plan.defaults?.http, ...http } } };
}

/** Keys of a plan whose values are not sent. Origins in these values are not replaced. */
const KEPT = new Set(["name", "description", "hosts"]);
/** Keys of a step or a request whose members are all sent, even with a name in `KEPT`. */
const SENT = new Set(["params", "headers", "body", "set"]);
const NONE: ReadonlySet<string> = new Set();

/** Moves all requests of a plan to another origin. Sets the base URL to `target`. */
export function movePlan(plan: Plan, move: (text: string) => string, target: string): Plan {
  const moved = {
    ...plan,
    defaults: moveTexts(plan.defaults ?? {}, move) as Plan["defaults"],
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [name, moveTexts(scenario, move)]),
    ) as Plan["scenarios"],
  };
  return withHttp(moved, { base_url: literal(target) });
}

/** Replaces origins in strings, except under a key in `kept`. */
export function moveTexts(
  value: unknown,
  move: (text: string) => string,
  kept: ReadonlySet<string> = KEPT,
): unknown {
  if (typeof value === "string") return move(value);
  if (Array.isArray(value)) return value.map((item) => moveTexts(item, move, kept));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      kept.has(key) ? member : moveTexts(member, move, SENT.has(key) ? NONE : kept),
    ]),
  );
}

type Headers = NonNullable<Request["headers"]>;

/** Writes the default headers into each request, so that it can be edited separately. */
export function inlineDefaultHeaders(plan: Plan): Plan {
  const headers = plan.defaults?.http?.headers;
  if (headers === undefined) return plan;
  const inlined = mapRequests(plan, (request) => ({
    ...request,
    headers: { ...without(headers, request.headers ?? {}), ...request.headers },
  }));
  return withHttp(inlined, { headers: undefined });
}

/** Restores the default headers of `given`, and removes them from requests that lacked them. */
export function collapseDefaultHeaders(plan: Plan, given: Plan): Plan {
  const { defaults } = given;
  const headers = defaults?.http?.headers;
  if (headers === undefined) return plan;
  const originals = listAll(given).values();
  const collapsed = mapRequests(plan, (request) => {
    const before = originals.next().value?.headers;
    const own = Object.entries(request.headers ?? {}).filter(([name, value]) =>
      headers[name] !== value || before !== undefined && Object.hasOwn(before, name)
    );
    const isEmpty = own.length === 0 && before === undefined;
    return { ...request, headers: isEmpty ? undefined : Object.fromEntries(own) };
  });
  return { ...collapsed, ...around(given), defaults };
}

function listAll({ scenarios }: Plan): Request[] {
  return Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
}

function without(headers: Headers, others: Headers): Headers {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())),
  );
}

function mapRequests(plan: Plan, map: (request: Request) => Request): Plan {
  return mapPlanSteps(
    plan,
    (step) => step.request ? { ...step, request: map(step.request) } : step,
  );
}

function around({ setup, teardown }: Plan): Pick<Plan, "setup" | "teardown"> {
  return { ...(setup && { setup }), ...(teardown && { teardown }) };
}

const SOURCE = "users";

/**
 * Gives each user of a plan a row of a CSV file with logins. `readFile` reads a file by its path
 * relative to the plan. Throws InputError if the file has fewer than two rows.
 */
export function withUserFile(
  plan: Plan,
  path: string,
  readFile: (path: string) => Uint8Array,
): Plan {
  const rows = readRows({ type: "csv", path }, readFile);
  if (rows.length >= PROVING_LOAD.users) return withUsers(plan, path, Object.keys(rows[0]));
  throw new InputError("two users need two logins, but the file has only one", { source: path });
}

/**
 * Gives each user of a plan a row of a CSV file. Each column replaces the recorded value of the
 * first field with its name wherever the plan sends it: a password, or a user name also in paths
 * and messages. A plain word, such as `ada`, is replaced only in fields that consist of it, and in
 * segments of paths, unless it names a role or a path up to the login has it.
 * `path` is relative to the plan. Throws InputError if no request sends a field with the name of a
 * column.
 */
export function withUsers(plan: Plan, path: string, columns: readonly string[]): Plan {
  const requests = listAll(plan);
  const fields = requests.flatMap((request) => requestTexts(request).filter(isField));
  const isOfUser = (name: string) => {
    const login = requests.findIndex((request) =>
      requestTexts(request).some((text) => isField(text) && text.template === name)
    );
    return !ROLE.test(name) &&
      !requests.slice(0, login + 1).some((request) =>
        requestTexts(request).some(({ kind, template }) => kind === "path" && template === name)
      );
  };
  const edits = columns.map((column) => {
    const field = fields.find(({ name }) => bareName(name) === bareName(column));
    if (field !== undefined) return editOf(field.template, column, isOfUser(field.template));
    const names = [...new Set(fields.map(({ name }) => name))].slice(0, 12).join(", ");
    throw new InputError(
      `no request of the plan sends a field ${JSON.stringify(column)}: name the columns as the ` +
        `fields of the login; the plan sends ${names || "no fields"}`,
      { source: path },
    );
  });
  const withData = (request: Request) => edits.reduce((edited, edit) => edit(edited), request);
  const headers = plan.defaults?.http?.headers;
  const mapped = mapRequests(plan, withData);
  return {
    ...headers ? withHttp(mapped, { headers: withData({ url: "", headers }).headers }) : mapped,
    ...around(plan),
    data: { ...plan.data, [SOURCE]: { type: "csv", path } },
  };
}

function isField({ kind, name, template }: RequestText): boolean {
  return (kind === "query" || IN_BODY.has(kind)) && name !== "" && template !== "";
}

/** Returns the innermost part of a name: `email` for `user[email]`. */
function bareName(name: string): string {
  return (/[\p{L}\p{N}_-]+(?=\W*$)/u.exec(name)?.[0] ?? name).toLowerCase();
}

function editOf(
  template: string,
  column: string,
  isInPaths: boolean,
): (request: Request) => Request {
  const expression: Expression = { kind: "data", source: SOURCE, column };
  if (!template.includes("${") && !isWeak(template)) {
    const written = { expression, encoded: call("url_encode", expression), numeric: false };
    return (request) => replaceLiteral(request, { value: template, agrees: undefined }, written);
  }
  const written = joinTemplate([expression])!;
  const segment = joinTemplate([call("url_encode", expression)])!;
  return (request) =>
    mapRequestTexts(request, (text) => {
      if (isInPaths && text.kind === "header" && text.template.includes("://")) {
        return text.template.split("/").map((part) => part === template ? segment : part).join("/");
      }
      if (text.template !== template) return text.template;
      if (isInPaths && text.kind === "path") return segment;
      return isField(text) ? written : template;
    });
}
