import { mapLeaves } from "../../src/traffic/session/body_fields.ts";
import { asText, isNumber } from "../../src/base/exact_number.ts";
import { random } from "../../src/base/random.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import { listRequests, recordedEntry, stepLists } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { literal } from "../../src/plan/text/template.ts";
import type { Exchange, Recording } from "../../src/traffic/har/recording.ts";
import { isWriteRequest } from "../../src/calibrate/literal_edit.ts";

/** Ways to break a write of a plan. */
export const WAYS = [
  ...["body dropped", "field dropped", "file empty", "token stale", "id of another object"],
  ...["another option", "sent twice", "omitted"],
] as const;

export type Way = typeof WAYS[number];

/** A plan in which one write is broken in one way. */
export interface Sabotage {
  readonly way: Way;
  /** The write and what was changed, such as `POST /orders: field title`. */
  readonly what: string;
  /** The broken plan, or undefined if it is not valid. */
  readonly plan: Plan | undefined;
}

/** Maximum number of sabotages of one write in one way. */
const VARIANTS = 2;

/**
 * Breaks every write of a plan in every way that applies to it. If a way applies to several fields
 * or values of a write, chooses up to two of them with `seed`. Does not change `plan`.
 */
export function breakPlan(plan: Plan, recording: Recording, seed: number): Sabotage[] {
  const chance = random(seed);
  const exchanges = new Map(recording.exchanges.map((one) => [one.index + 1, one]));
  const requests = requestsOf(plan);
  return requests.flatMap((request, index) => {
    if (!isWriteRequest(request)) return [];
    const exchange = exchanges.get(recordedEntry(request) ?? 0);
    if (exchange === undefined) return [];
    const values = valuesBefore(requests.slice(0, index), exchanges);
    const earlier = [...exchanges.values()].filter(({ endedAt }) => endedAt <= exchange.startedAt);
    const found = changesOf(request, { values, earlier });
    return WAYS.flatMap((way) =>
      shuffled(found.filter((change) => change.way === way), chance).slice(0, VARIANTS)
        .map(({ what, edit }) => ({
          way,
          what: `entry ${exchange.index + 1} ${request.name ?? request.url}: ${what}`,
          plan: edited(plan, index, edit),
        }))
    );
  });
}

/** Changes a request within the list of steps that contains it. */
type Edit = (steps: Step[], at: number) => void;

interface Change {
  readonly way: Way;
  readonly what: string;
  readonly edit: Edit;
}

/** What the recording shows before a write. */
interface Before {
  /** Recorded values of the variables, with the latest value of each. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly earlier: readonly Exchange[];
}

function changesOf(request: Request, before: Before): Change[] {
  return [
    { way: "sent twice", what: "the call", edit: (steps, at) => insertCopy(steps, at) },
    { way: "omitted", what: "the call", edit: (steps, at) => void steps.splice(at, 1) },
    ...(request.body === undefined ? [] : [change("body dropped", "the body", (own) => {
      delete own.body;
    })]),
    ...leavesOf(request.body).flatMap((leaf) => leafChanges(leaf, before)),
    ...valueChanges(request, before),
  ];
}

function change(way: Way, what: string, edit: (request: Request) => void): Change {
  return { way, what, edit: (steps, at) => edit(steps[at].request!) };
}

function insertCopy(steps: Step[], at: number): void {
  const copy = mapLeaves(steps[at], (leaf) => leaf) as Step;
  delete copy.request!.extract;
  steps.splice(at + 1, 0, copy);
}

/** A field of a body: a member of JSON, a field of a form, or a part of a multipart body. */
interface Leaf {
  readonly name: string;
  readonly value: unknown;
  readonly isFile: boolean;
  /** Path to the field in the body. */
  readonly path: readonly (string | number)[];
  /** Path to what must be removed to drop the field. */
  readonly whole: readonly (string | number)[];
}

function leavesOf(body: unknown): Leaf[] {
  if (body === undefined || body === null) return [];
  if (typeof body === "string") return [file([])];
  const own = body as Record<string, unknown>;
  if (own.base64 !== undefined) return [file(["base64"])];
  if (Array.isArray(own.multipart)) {
    return own.multipart.map((part, i): Leaf => {
      const key = part.value === undefined ? "base64" : "value";
      return {
        name: part.name,
        value: part[key],
        isFile: part.filename !== undefined,
        path: ["multipart", i, key],
        whole: ["multipart", i],
      };
    });
  }
  if (Array.isArray(own.form)) {
    return own.form.map(([name, value], i): Leaf => ({
      name,
      value,
      isFile: false,
      path: ["form", i, 1],
      whole: ["form", i],
    }));
  }
  const key = own.form === undefined ? "json" : "form";
  return jsonLeaves(own[key], [key]);
}

function file(path: readonly string[]): Leaf {
  return { name: "the content", value: "", isFile: true, path, whole: path };
}

function jsonLeaves(value: unknown, path: readonly (string | number)[]): Leaf[] {
  if (typeof value !== "object" || value === null || isNumber(value)) {
    return [{ name: String(path.at(-1)), value, isFile: false, path, whole: path }];
  }
  return Object.entries(value).flatMap(([key, member]) =>
    jsonLeaves(member, [...path, Array.isArray(value) ? Number(key) : key])
  );
}

function leafChanges({ name, value, isFile, path, whole }: Leaf, before: Before): Change[] {
  const at = (request: Request, place: readonly (string | number)[]) =>
    // deno-lint-ignore no-explicit-any -- the body is JSON of unknown shape
    place.slice(0, -1).reduce((node: any, key) => node[key], request.body);
  const set = (request: Request, to: unknown) => {
    if (path.length === 0) request.body = to as string;
    else at(request, path)[path.at(-1)!] = to;
  };
  const changes: Change[] = [];
  if (whole.length > 1) {
    changes.push(change("field dropped", `field ${name}`, (request) => {
      const parent = at(request, whole);
      if (Array.isArray(parent)) parent.splice(Number(whole.at(-1)), 1);
      else delete parent[whole.at(-1)!];
    }));
  }
  if (isFile) changes.push(change("file empty", name, (request) => set(request, "")));
  if (!isFile) {
    for (const option of otherOptions(value, name, before)) {
      changes.push(change("another option", `${name}: ${option}`, (request) => {
        set(request, typeof value === "boolean" ? option : literal(String(option)));
      }));
    }
    const id = /(?:^|[_-])id$|Id$/.test(name) ? otherId(value) : undefined;
    if (id !== undefined) {
      changes.push(change("id of another object", `${name}: ${id}`, (request) => {
        set(request, isNumber(value) ? Number(id) : id);
      }));
    }
  }
  return changes;
}

/** Returns the options of the same list that an earlier page or response offered. */
function otherOptions(value: unknown, name: string, { values, earlier }: Before): unknown[] {
  if (typeof value === "boolean") return [!value];
  const variable = typeof value === "string" ? /^\$\{(\w+)\}$/.exec(value)?.[1] : undefined;
  const chosen = variable === undefined ? value : values.get(variable);
  if (typeof chosen !== "string" || chosen === "") return [];
  for (const { response: { text = "" } } of earlier.toReversed()) {
    for (const [, attributes, list] of text.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/gi)) {
      if (!attributes.includes(`name="${name}"`)) continue;
      const options = [...list.matchAll(/<option\b[^>]*?value="([^"&]*)"/gi)].map(([, one]) => one);
      const other = options.find((one) => one !== chosen && one !== "");
      if (options.includes(chosen) && other !== undefined) return [other];
    }
    const radios = [...text.matchAll(/<input\b[^>]*type="radio"[^>]*>/gi)]
      .filter(([tag]) => tag.includes(`name="${name}"`))
      .map(([tag]) => /value="([^"&]*)"/.exec(tag)?.[1] ?? "");
    const other = radios.find((one) => one !== chosen && one !== "");
    if (radios.includes(chosen) && other !== undefined) return [other];
  }
  return [];
}

/** Returns an id that differs from a recorded id in its last character, or undefined. */
function otherId(value: unknown): string | undefined {
  const text = isNumber(value) ? asText(value) : value;
  if (typeof text !== "string" || !/^[\w-]*\d[\w-]*$/.test(text)) return undefined;
  return text.replace(/[0-9a-f](?=[^0-9a-f]*$)/i, (last) => last === "7" ? "3" : "7");
}

/** Replaces variables of a request with recorded values, and ids with those of other objects. */
function valueChanges(request: Request, { values }: Before): Change[] {
  const parts = { url: request.url, headers: { ...request.headers }, body: request.body };
  for (const name of Object.keys(parts.headers)) {
    if (/^(?:referer|origin|host)$/i.test(name)) delete parts.headers[name];
  }
  const used = JSON.stringify(parts);
  const changes: Change[] = [];
  for (const [name, value] of values) {
    if (value === undefined || !used.includes(`\${${name}}`)) continue;
    const put = (to: string) => (own: Request) => {
      const replace = (part: unknown) =>
        mapLeaves(part, (leaf) => {
          // A variable that is a whole JSON value keeps its type.
          if (leaf === `\${${name}}` && isNumber(value) && /^\d+$/.test(to)) return Number(to);
          return typeof leaf === "string" ? leaf.replaceAll(`\${${name}}`, () => to) : leaf;
        });
      own.url = replace(own.url) as string;
      own.headers = replace(own.headers) as Request["headers"];
      if (own.body !== undefined) own.body = replace(own.body) as Request["body"];
    };
    changes.push(change("token stale", name, put(literal(asText(value)))));
    const other = otherId(value);
    if (other === undefined || other.length > 40) continue;
    changes.push(change("id of another object", `${name}: ${other}`, put(literal(other))));
    const shape = /^\d+$/.test(asText(value));
    const swap = [...values].find(([one, its]) =>
      one !== name && its !== undefined && asText(its) !== asText(value) &&
      /^\d+$/.test(asText(its)) === shape && shape
    );
    if (swap === undefined) continue;
    changes.push(change("id of another object", `${name}: \${${swap[0]}}`, put(`\${${swap[0]}}`)));
  }
  const segments = request.url.match(/(?<=\/)\d+(?=\/|\?|$)/g) ?? [];
  for (const id of segments) {
    const other = otherId(id)!;
    changes.push(change("id of another object", `${id} in the path: ${other}`, (own) => {
      own.url = own.url.replace(id, other);
    }));
  }
  return changes;
}

function valuesBefore(
  requests: readonly Request[],
  exchanges: ReadonlyMap<number, Exchange>,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const request of requests) {
    const response = exchanges.get(recordedEntry(request) ?? 0)?.response;
    if (response === undefined) continue;
    for (const { name, ...extractor } of request.extract ?? []) {
      values.set(name, extractValue(extractor, response));
    }
  }
  return values;
}

function requestsOf({ scenarios }: Plan): Request[] {
  return Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
}

/** Returns a copy of the plan in which `edit` changed the request with an index. */
function edited(plan: Plan, index: number, edit: Edit): Plan | undefined {
  const copy = mapLeaves(plan, (leaf) => leaf) as Plan;
  const request = requestsOf(copy)[index];
  for (const { flow } of Object.values(copy.scenarios)) {
    const found = find(flow as Step[], request);
    if (found === undefined) continue;
    edit(...found);
    return loadPlan(printPlan(copy, [])).plan;
  }
  throw new Error("the request is not in the plan");
}

function find(steps: Step[], request: Request): [Step[], number] | undefined {
  const at = steps.findIndex((step) => step.request === request);
  if (at >= 0) return [steps, at];
  for (const step of steps) {
    for (const list of stepLists(step)) {
      const found = find(list as Step[], request);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function shuffled<Item>(items: readonly Item[], chance: { next(): number }): Item[] {
  return items.map((item) => [chance.next(), item] as const).sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
