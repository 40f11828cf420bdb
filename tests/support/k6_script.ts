import { selectAll } from "css-select";
import { type AnyNode, type Element, hasChildren } from "domhandler";
import { textContent } from "domutils";
import { parseDocument } from "htmlparser2";
import { createHash, createHmac } from "node:crypto";

/** A request that a k6 script sent. */
export interface ScriptRequest {
  readonly method: string;
  readonly url: string;
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A response to a k6 script. */
export interface ScriptResponse {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

/** What a k6 script did. */
export interface ScriptOutcome {
  readonly sent: readonly ScriptRequest[];
  /** Results of checks, by name. */
  readonly checks: Readonly<Record<string, readonly boolean[]>>;
  /** Values that the script added to its custom metrics, keyed by metric name. */
  readonly metrics: Readonly<Record<string, readonly unknown[]>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Pauses in seconds. */
  readonly pauses: readonly number[];
}

/** Options of `runK6Script`. */
export interface ScriptRun {
  readonly respond?: (request: ScriptRequest, n: number) => ScriptResponse;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Number of iterations of each scenario (default: 1). */
  readonly iterations?: number;
}

type Flow = (data?: unknown) => unknown;

/**
 * Runs a k6 script without k6: `setup`, each scenario in order, and `teardown`, with one VU. The
 * modules of k6 are replaced with functions that behave as the script expects.
 */
export async function runK6Script(text: string, run: ScriptRun = {}): Promise<ScriptOutcome> {
  const { modules, outcome, state } = fakeModules(run);
  const names: string[] = [];
  const body = text
    .replace(
      /^import (.*) from "([^"]+)";$/gm,
      (_line, names_: string, module: string) =>
        names_.split(/,\s*(?=\{)/).map((part) =>
          `const ${part.startsWith("{") ? part : `{ default: ${part} }`} = modules["${module}"];`
        ).join(" "),
    )
    .replace(/^export const options/m, "const options")
    .replace(/^export ((?:async )?function ([\w$]+))/gm, (_all, head: string, name: string) => {
      names.push(name);
      return head;
    });
  const open = (path: string, mode?: string) => {
    const content = run.files?.[path];
    if (content === undefined) throw new Error(`no file ${path}`);
    return mode === "b" ? new TextEncoder().encode(content).buffer : content;
  };
  const load = new Function(
    "modules",
    "__ENV",
    "open",
    "console",
    `"use strict";\n${body}\nreturn { options, flows: { ${names.join(", ")} } };`,
  );
  if (/toWellFormed\(|isWellFormed\(/.test(text)) throw new Error("k6 has no such method");
  const quiet = { warn() {}, log() {}, error() {} };
  const { options, flows } = load(modules, run.env ?? {}, open, quiet) as {
    readonly options: Record<string, unknown>;
    readonly flows: Record<string, Flow>;
  };
  const data = await flows.setup?.();
  state.jar.clear();
  const scenarios = options.scenarios as Record<string, { readonly exec: string }>;
  for (const [name, { exec }] of Object.entries(scenarios)) {
    for (let i = 0; i < (run.iterations ?? 1); i++) {
      Object.assign(state, { scenario: name, iteration: i });
      if (options.noCookiesReset !== true) state.jar.clear();
      try {
        await flows[exec](data);
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
      }
    }
  }
  state.jar.clear();
  await flows.teardown?.(data);
  return { ...outcome, options };
}

class Failed extends Error {}

function fakeModules(run: ScriptRun) {
  const sent: ScriptRequest[] = [];
  const checks: Record<string, boolean[]> = {};
  const metrics: Record<string, unknown[]> = {};
  const pauses: number[] = [];
  const state = { scenario: "", iteration: 0, jar: new Map<string, Map<string, string>>() };

  const send = (
    method: string,
    url: string,
    body: unknown,
    params: Record<string, unknown> = {},
  ) => {
    const headers = Object.fromEntries(
      Object.entries(params.headers ?? {}).map((
        [name, value],
      ) => [name.toLowerCase(), String(value)]),
    );
    const { origin, username, password } = new URL(url);
    if (username !== "" && headers.authorization === undefined) {
      const login = [username, password].map(decodeURIComponent).join(":");
      headers.authorization = `Basic ${btoa(login)}`;
    }
    const jar = state.jar.get(origin) ?? new Map<string, string>();
    state.jar.set(origin, jar);
    if (jar.size > 0) {
      const stored = [...jar].map(([name, value]) => `${name}=${value}`);
      headers.cookie = [...headers.cookie === undefined ? [] : [headers.cookie], ...stored].join(
        "; ",
      );
    }
    const request = {
      method,
      url: url.replace(/\/\/[^/?#]*@/, "//"),
      headers,
      body: bodyText(body),
      params,
    };
    sent.push(request);
    const { status = 200, body: text = "", headers: given = [] } =
      run.respond?.(request, sent.length - 1) ?? {};
    const cookies: Record<string, { value: string }[]> = {};
    for (const [name, value] of given) {
      if (name.toLowerCase() !== "set-cookie") continue;
      const [, key, stored] = /^([^=;]*)=([^;]*)/.exec(value) ?? ["", "", ""];
      cookies[key] = [...cookies[key] ?? [], { value: stored }];
      jar.set(key, stored);
    }
    return {
      status,
      url,
      body: text,
      cookies,
      headers: canonical(given),
      timings: { duration: 10 },
      error_code: status >= 400 ? 1000 + status : 0,
      json: (path: string) => gjson(text, path),
      html: () => selection([parseDocument(text)]),
    };
  };
  const withBody =
    (method: string) => (url: string, body: unknown, params: Record<string, unknown>) =>
      send(method, url, body, params);
  const withoutBody = (method: string) => (url: string, params: Record<string, unknown>) =>
    send(method, url, null, params);
  class Metric {
    readonly #values: unknown[];
    constructor(name: string) {
      this.#values = metrics[name] = [];
    }
    add(value: unknown) {
      this.#values.push(value);
    }
  }
  const modules = {
    "k6/http": {
      default: {
        get: withoutBody("GET"),
        head: withoutBody("HEAD"),
        post: withBody("POST"),
        put: withBody("PUT"),
        patch: withBody("PATCH"),
        del: withBody("DELETE"),
        options: withBody("OPTIONS"),
        request: send,
        asyncRequest: (...args: Parameters<typeof send>) => Promise.resolve(send(...args)),
        expectedStatuses: (...statuses: unknown[]) => statuses,
        setResponseCallback() {},
        CookieJar: class {},
        cookieJar: () => ({
          cookiesForURL: (url: string) =>
            Object.fromEntries(
              [...state.jar.get(new URL(url).origin) ?? []].map(([name, value]) => [name, [value]]),
            ),
        }),
      },
    },
    "k6": {
      check(value: unknown, tests: Record<string, (value: unknown) => unknown>) {
        const results = Object.entries(tests).map(([name, test]) => {
          const passed = Boolean(test(value));
          (checks[name] ??= []).push(passed);
          return passed;
        });
        return results.every(Boolean);
      },
      fail(message: string) {
        throw new Failed(message);
      },
      group: (_name: string, run: () => unknown) => run(),
      sleep: (seconds: number) => void pauses.push(seconds),
    },
    "k6/data": {
      SharedArray: function (_name: string, read: () => unknown) {
        return read();
      },
    },
    "k6/encoding": {
      b64encode: (value: unknown, kind = "std") => {
        const bytes = typeof value === "string"
          ? new TextEncoder().encode(value)
          : new Uint8Array(value as ArrayBuffer);
        return kind === "rawurl"
          ? bytes.toBase64({ alphabet: "base64url", omitPadding: true })
          : bytes.toBase64();
      },
      b64decode: (text: string, kind?: string, format?: string) => {
        // Go accepts line breaks, but no other spaces.
        const characters = text.replace(/[\r\n]/g, "");
        const isPadded = characters.length % 4 === 0;
        if (/\s/.test(characters) || kind?.startsWith("raw") !== true && !isPadded) {
          throw new TypeError("illegal base64 data");
        }
        const bytes = Uint8Array.fromBase64(characters, {
          alphabet: kind === "rawurl" ? "base64url" : "base64",
        });
        return format === "s" ? new TextDecoder().decode(bytes) : bytes.buffer;
      },
    },
    "k6/crypto": {
      sha256: (text: string, encoding: string) =>
        digest(createHash("sha256").update(text), encoding),
      hmac: (kind: string, key: string, text: string, encoding: string) =>
        digest(createHmac(kind, key).update(text), encoding),
    },
    "k6/execution": {
      default: {
        vu: {
          idInTest: 1,
          get iterationInScenario() {
            return state.iteration;
          },
        },
        scenario: {
          get iterationInTest() {
            return state.iteration;
          },
          get name() {
            return state.scenario;
          },
          progress: 0,
        },
        test: {
          abort(message: string) {
            throw new Failed(message);
          },
        },
      },
    },
    "k6/html": { parseHTML: (text: string) => selection([parseDocument(text)]) },
    "k6/metrics": { Counter: Metric, Gauge: Metric, Rate: Metric, Trend: Metric },
  };
  return { modules, state, outcome: { sent, checks, metrics, pauses } };
}

function digest(hash: { digest(): Uint8Array }, encoding: string): string {
  const bytes = new Uint8Array(hash.digest());
  if (encoding === "hex") return bytes.toHex();
  return encoding === "base64"
    ? bytes.toBase64()
    : bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function bodyText(body: unknown): string {
  if (body === null || body === undefined) return "";
  return typeof body === "string"
    ? body.toWellFormed()
    : new TextDecoder().decode(new Uint8Array(body as ArrayBuffer));
}

function canonical(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    all[key] = all[key] === undefined ? value : `${all[key]}, ${value}`;
  }
  return all;
}

/**
 * Evaluates a GJSON path that consists of names and indexes, optionally with the modifier `@tostr`.
 */
function gjson(text: string, path: string): unknown {
  const [plain, modifier] = path.split("|");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const steps = plain === "@this"
    ? []
    : plain.split(/(?<!\\)\./).map((step) => step.replace(/\\(.)/g, "$1"));
  for (const step of steps) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[step];
  }
  return modifier === undefined ? value : JSON.stringify(value);
}

function selection(nodes: readonly AnyNode[]): unknown {
  return {
    find: (selector: string) =>
      selection(
        nodes.flatMap((node) =>
          hasChildren(node) ? selectAll<AnyNode, Element>(selector, node.children) : []
        ),
      ),
    filter: (selector: string) => {
      const [, name] = /^\[([\w-]+)\]$/.exec(selector)!;
      return selection(nodes.filter((node) => Object.hasOwn((node as Element).attribs, name)));
    },
    toArray: () => nodes.map((node) => selection([node])),
    text: () => nodes.map((node) => textContent(node)).join(""),
    attr: (name: string) => (nodes[0] as Element | undefined)?.attribs[name],
    size: () => nodes.length,
  };
}
