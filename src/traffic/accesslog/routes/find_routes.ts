import { sum } from "../../../base/format.ts";
import { isStaticAsset } from "../../static_asset.ts";
import type { EndpointCount } from "../profile/endpoint_table.ts";

interface Limits {
  /** Different segments that must occur after the same parent path, such as `/blog`. */
  readonly values: number;
  /** A segment with a larger share of the requests below the parent is not replaced. */
  readonly share: number;
}

/** In the order in which to try them, until a few endpoints receive most of the requests. */
const LIMITS: readonly Limits[] = [
  { values: 50, share: 0.05 },
  { values: 20, share: 0.1 },
  { values: 10, share: 0.25 },
];
/** For segments that differ only in numbers, such as `post-1`, however few endpoints there are. */
const NUMBERED: Limits = { values: 20, share: 0.1 };
const ENDPOINTS = 60;
/** Share of the requests (without assets) that the most frequent endpoints should receive. */
const COVERAGE = 0.95;

const MOST_SEGMENTS = 100;

export interface FoundParameter {
  /** The path up to and including the parameter, such as `/blog/:post`. */
  readonly path: string;
  readonly values: number;
  /** The most frequent first, at most three. */
  readonly samples: readonly string[];
}

export interface FoundRoutes {
  readonly parameters: readonly FoundParameter[];
  /** Returns the route of an endpoint, with `${vars.name}` for each parameter that was found. */
  routeOf(endpoint: EndpointCount): string;
}

interface Node {
  count: number;
  readonly children: Map<string, Node>;
  sample: string;
  sampleCount: number;
  /** At most one parameter replaces each child. */
  readonly parameters: Parameter[];
}

interface Parameter {
  readonly name: string;
  readonly values: ReadonlySet<string>;
  readonly node: Node;
}

/**
 * Finds parameters: positions under one parent with many different values, each with a small share
 * of the requests (`LIMITS`), of which words such as `articles` need 50. Segments that differ only
 * in numbers are always values (`NUMBERED`). Keeps values with many different segments below them.
 */
export function findRoutes(endpoints: readonly EndpointCount[]): FoundRoutes {
  let found: FoundRoutes | undefined;
  for (const limits of LIMITS) {
    found = findWithin(endpoints, limits);
    if (isCovered(endpoints, found)) break;
  }
  return found!;
}

function findWithin(endpoints: readonly EndpointCount[], limits: Limits): FoundRoutes {
  const search: Search = { limits, names: new Set(["id"]), parameters: [] };
  // Static assets and pages in the same folder must not become one endpoint.
  const [pages, assets] = [false, true].map((isStatic) => {
    const root = newNode();
    for (const { route, count } of endpoints) {
      if (isStaticAsset("", route) === isStatic) addPath(root, route, count);
    }
    markParameters(root, "", isStatic ? "file" : "page", search);
    return root;
  });
  return {
    parameters: search.parameters,
    routeOf: ({ route }) => rewrite(isStaticAsset("", route) ? assets : pages, route),
  };
}

function isCovered(endpoints: readonly EndpointCount[], { routeOf }: FoundRoutes): boolean {
  const counts = new Map<string, number>();
  for (const endpoint of endpoints) {
    if (isStaticAsset("", endpoint.route)) continue;
    const name = `${endpoint.method} ${routeOf(endpoint)}`;
    counts.set(name, (counts.get(name) ?? 0) + endpoint.count);
  }
  const sorted = [...counts.values()].sort((a, b) => b - a);
  return sum(sorted.slice(0, ENDPOINTS)) >= sum(sorted) * COVERAGE;
}

function newNode(): Node {
  return { count: 0, children: new Map(), sample: "", sampleCount: 0, parameters: [] };
}

function addPath(root: Node, route: string, count: number): void {
  let node = root;
  addCount(node, route, count);
  for (const segment of segmentsOf(route).slice(0, MOST_SEGMENTS)) {
    const child = node.children.getOrInsertComputed(segment, newNode);
    addCount(child, route, count);
    node = child;
  }
}

function addCount(node: Node, route: string, count: number): void {
  node.count += count;
  if (count > node.sampleCount) [node.sample, node.sampleCount] = [route, count];
}

/** Returns the segments of a path without its leading slash. The last one may be empty. */
function segmentsOf(route: string): string[] {
  return route.split("/").slice(1);
}

interface Search {
  readonly limits: Limits;
  readonly names: Set<string>;
  readonly parameters: FoundParameter[];
}

/** One or two words, or such a file: unless there are many, rather pages than values. */
const FIXED_WORD = /^\.?\p{L}+(?:[-_.]\p{L}+)?(?:\.[a-z]{2,5})?$/iu;

function markParameters(
  node: Node,
  path: string,
  parent: string,
  search: Search,
): void {
  for (const { base, values } of [...findValues(node, parent, search.limits)]) {
    const name = uniqueName(singular(base), search.names);
    const merged = newNode();
    for (const [, child] of values) mergeInto(merged, child);
    node.parameters.push({ name, values: new Set(values.map(([value]) => value)), node: merged });
    const depth = path.split("/").length + 1;
    const samples = values.map(([, child]) => child).sort((a, b) => b.count - a.count).slice(0, 3)
      .map(({ sample }) => sample.split("/").slice(0, depth).join("/"));
    search.parameters.push({ path: `${path}/:${name}`, values: values.length, samples });
    markParameters(merged, `${path}/:${name}`, name, search);
  }
  for (const [segment, child] of node.children) {
    if (node.parameters.some(({ values }) => values.has(segment))) continue;
    const isNamed = /[A-Za-z]/.test(segment) && !segment.startsWith("${vars.");
    markParameters(child, `${path}/${segment}`, isNamed ? segment : parent, search);
  }
}

interface Values {
  readonly base: string;
  readonly values: readonly Child[];
}

type Child = readonly [segment: string, node: Node];

/** `parent` is the word for the parameter's name, unless the values start with one. */
function* findValues(node: Node, parent: string, limits: Limits): Generator<Values> {
  const all = sum([...node.children.values()].map(({ count }) => count));
  const children = [...node.children].filter(([segment]) =>
    segment !== "" && !segment.startsWith("${vars.")
  );
  const rare = rareValues(children, all, limits);
  if (rare.length >= limits.values) {
    yield { base: parent, values: rare };
    return;
  }
  const numbered = Map.groupBy(
    children.filter(([, child]) => isWithin(child, all, NUMBERED)),
    ([segment]) => withoutNumbers(segment),
  );
  for (const [shape, values] of numbered) {
    if (values.length >= NUMBERED.values) {
      yield { base: /^([a-z]{2,})[-_.]?0/i.exec(shape)?.[1] ?? parent, values };
    }
  }
}

/** Children within `limits`, but words (see `FIXED_WORD`) only if there are many. */
function rareValues(children: readonly Child[], all: number, limits: Limits): readonly Child[] {
  const infrequent = children.filter(([, child]) => isWithin(child, all, limits));
  const [{ values, share }] = LIMITS;
  const words = infrequent.filter(([segment, child]) =>
    FIXED_WORD.test(segment) && child.count <= all * share
  );
  return words.length >= values
    ? infrequent
    : infrequent.filter(([segment]) => !FIXED_WORD.test(segment));
}

/** Whether it has at most the `share` of `all` requests, and fewer than `values` children. */
function isWithin(child: Node, all: number, { values, share }: Limits): boolean {
  return child.count <= all * share && child.children.size < values;
}

function mergeInto(target: Node, source: Node): void {
  addCount(target, source.sample, source.count);
  for (const [segment, child] of source.children) {
    mergeInto(target.children.getOrInsertComputed(segment, newNode), child);
  }
}

function rewrite(root: Node, route: string): string {
  let node: Node | undefined = root;
  return "/" + segmentsOf(route).map((segment) => {
    const { parameters, children }: Node = node ?? newNode();
    const parameter = parameters.find(({ values }) => values.has(segment));
    if (parameter !== undefined) {
      node = parameter.node;
      return `\${vars.${parameter.name}}`;
    }
    node = children.get(segment);
    return segment;
  }).join("/");
}

/** Segments that differ only in their numbers become equal. */
function withoutNumbers(segment: string): string {
  return segment.replace(/%[\da-f]{2}|\d+/gi, (text) => text.startsWith("%") ? text : "0");
}

function singular(segment: string): string {
  const name = variableName(decodeURI(segment.replace(/%(?![\da-f]{2})/gi, "")));
  if (/ies$/.test(name)) return `${name.slice(0, -3)}y`;
  return /[^s]s$/.test(name) && name.length > 3 ? name.slice(0, -1) : name;
}

/** Returns `name`, with a number if `names` has it, and adds it to `names`. */
export function uniqueName(name: string, names: Set<string>): string {
  let unique = name;
  for (let i = 2; names.has(unique); i++) unique = `${name}_${i}`;
  names.add(unique);
  return unique;
}

export function variableName(text: string): string {
  const name = text.replace(/\W+/g, "_").replace(/^_+|_+$/g, "");
  return /^[A-Za-z_]/.test(name) ? name : `value_${name}`.replace(/_$/, "");
}
