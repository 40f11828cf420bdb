import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PermissionError, UsageError } from "../../../src/base/errors.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { readOptions, toFlags } from "../../../src/cli/command/options.ts";
import { RUN_OPTIONS } from "../../../src/cli/run/run_options.ts";
import { confirmRecorded, preflight } from "../../../src/cli/run/targets.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { targets } from "../../../src/plan/targets.ts";

const SHOP = "https://www.shop.com";

/** Creates a plan that sends requests to these URLs, as if they were recorded. */
function recordedPlan(urls: readonly string[], http: object = {}): Plan {
  const flow = urls.map((url) => ({ request: { url, tags: { recorded: "1" } } }));
  return {
    defaults: { http: { base_url: SHOP, ...http } },
    scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 10, flow } },
  };
}

/** Runs `confirmRecorded`. Returns the lines of the question, and the warning or the error. */
function confirmed(plan: Plan, given: readonly string[], response?: boolean) {
  let asked: string[] = [];
  const io = {
    isInteractive: () => response !== undefined,
    confirm: (question: string) => (asked = question.split("\n"), response!),
  } as unknown as Io;
  const options = readOptions(RUN_OPTIONS, readArgs(given, toFlags(RUN_OPTIONS)));
  const confirm = () =>
    confirmRecorded(plan, targets(plan, () => undefined), "Load: small", options, io);
  const result = response === false ? assertThrows(confirm, UsageError).message : confirm();
  return { asked, result };
}

const MIXED = [
  "/",
  "https://t.tracker.com/1",
  "https://api.shop.com/me",
  "https://t.tracker.com/2",
  "https://ads.com/",
];

Deno.test("run asks for confirmation before it sends recorded requests to a public host", () => {
  const { asked, result } = confirmed(recordedPlan(["/", "/cart"]), [], false);
  assertEquals(asked, [
    "The requests in this plan come from a recording.",
    "Load: small",
    "Hosts: https://www.shop.com",
    "Send this load to this host?",
  ]);
  assertEquals(
    result,
    "nothing was sent to https://www.shop.com; use `--base-url` to select a test system, or " +
      "`--yes` to send this load",
  );
  assertEquals(confirmed(recordedPlan(["/"]), [], true).result, "");
});

Deno.test("run does not ask about private hosts, hosts that the command line names, and plans that are not recorded", () => {
  const typed = recordedPlan([]);
  const flow = [{ request: { url: "/" } }];
  const cases: [plan: Plan, given?: string[]][] = [
    [recordedPlan(MIXED), ["--yes"]],
    [recordedPlan(["/"]), ["--base-url", `${SHOP}/x`]],
    [
      recordedPlan(["/"], { base_url: "https://WWW.shop.com:443" }),
      ["--base-url", "https://WWW.shop.com:443"],
    ],
    [recordedPlan(["/"], { base_url: "http://127.0.0.1:80" })],
    [
      recordedPlan(MIXED.slice(1, 2), {
        base_url: undefined,
        hosts: { "t.tracker.com": "127.0.0.1" },
      }),
    ],
    [{ ...typed, scenarios: { s: { ...typed.scenarios.s, flow } as Plan["scenarios"][string] } }],
  ];
  for (const [plan, given = []] of cases) {
    assertEquals(confirmed(plan, given, true), { asked: [], result: "" });
  }
});

Deno.test("run lists third-party hosts last", () => {
  const { asked, result } = confirmed(recordedPlan(MIXED), [], false);
  assertEquals(asked.slice(2), [
    "Hosts: https://www.shop.com, https://api.shop.com",
    "Third-party hosts, which may not be yours: https://t.tracker.com, https://ads.com",
    "Send this load to all of these hosts?",
  ]);
  assert(result.endsWith("; to omit third-party hosts, convert with `--origin HOST,…`"), result);
  const moved = recordedPlan(MIXED.toSpliced(2, 1), { base_url: "https://staging.net" });
  assertEquals(confirmed(moved, ["--base-url", "https://staging.net"], true).asked.slice(2, 3), [
    "Third-party hosts, which may not be yours: https://t.tracker.com, https://ads.com",
  ]);
});

Deno.test("run does not treat a host as third-party if the host or the base URL is known only during the run", () => {
  const unknown = recordedPlan(["/", "https://api.shop.com/me"], {
    base_url: "https://${data.sites.host}",
  });
  assertEquals(confirmed(unknown, []).result, "");
  assert(!confirmed(unknown, [], true).asked.join().includes("Third-party"));
  const templated = recordedPlan(["/", "https://api.${data.sites.host}/", "https://ads.com/"]);
  assertEquals(confirmed(templated, [], true).asked.slice(2, 4), [
    "Hosts: https://www.shop.com, https://api.${data.sites.host}",
    "Third-party hosts, which may not be yours: https://ads.com",
  ]);
});

Deno.test("run warns about third-party hosts if it cannot ask for confirmation", () => {
  assertEquals(confirmed(recordedPlan(MIXED), []), {
    asked: [],
    result: "warning: this plan sends recorded requests to third-party hosts (the base URL " +
      "is https://www.shop.com): https://t.tracker.com, https://ads.com; to omit third-party " +
      "hosts, convert with `--origin HOST,…`, or add `--yes` if you are allowed to test them\n",
  });
  const hosts = { "t.tracker.com": "127.0.0.1:80", "ads.com": "127.0.0.1:80" };
  const silent = [
    recordedPlan(["/", "https://api.shop.com/me", "http://127.0.0.1/"]),
    recordedPlan(MIXED, { hosts }),
  ];
  for (const plan of silent) assertEquals(confirmed(plan, []).result, "");
});

Deno.test("preflight reports the flag that lets a plan connect to its target", async () => {
  await assertRejects(
    () => preflight(recordedPlan(["/"]), "plan.yaml", () => undefined),
    PermissionError,
    "cannot connect to www.shop.com:443: the permission is missing; add " +
      "`--allow-net=www.shop.com:443` to `deno run`",
  );
});
