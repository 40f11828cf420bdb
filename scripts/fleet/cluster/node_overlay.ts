import { TEST_IMAGE } from "./test_image.ts";

/** Settings of the test run that the overlay applies to the manifests. */
export interface NodeFacts {
  /** Path of the folder in `deploy/kubernetes` to apply, relative to the overlay. */
  readonly base: string;
  readonly busPort: number;
  readonly monitorPort: number;
  /** Folder on this machine in which the leader writes `summary.json`. */
  readonly results: string;
  /** Text of the plan. */
  readonly plan: string;
}

const POD = "/spec/template/spec";
const add = (path: string, value: unknown) => ({ op: "add", path, value });
const replace = (path: string, value: unknown) => ({ op: "replace", path, value });

/** Patch for all pods: they use the network of the machine and request little CPU time. */
const ON_NODE = [
  add(`${POD}/hostNetwork`, true),
  add(`${POD}/hostAliases`, [{ ip: "127.0.0.1", hostnames: ["rehearse-bus"] }]),
  add(`${POD}/containers/0/imagePullPolicy`, "Never"),
  replace(`${POD}/containers/0/resources/requests/cpu`, "50m"),
];

const IMAGES = ["rehearse", "nats"].map((name) => {
  const [newName, newTag] = TEST_IMAGE.split(":");
  return { name, newName, newTag };
});

/**
 * Writes an overlay for a node without a pod network and without registries: all pods use the
 * network of the machine, the name of the bus resolves to 127.0.0.1, and images are local.
 */
export async function nodeOverlay(folder: string, facts: NodeFacts): Promise<void> {
  const { base, busPort, monitorPort, results, plan } = facts;
  const leader = [
    add(`${POD}/containers/0/args/-`, "--summary-export=/results/summary.json"),
    add(`${POD}/containers/0/volumeMounts/-`, { name: "results", mountPath: "/results" }),
    add(`${POD}/volumes/-`, { name: "results", hostPath: { path: results } }),
  ];
  const isSecure = base.endsWith("secure-bus");
  await Deno.writeTextFile(`${folder}/plan.yaml`, plan);
  await writeKustomization(folder, {
    resources: [base],
    configMapGenerator: [
      { name: "rehearse-plan", behavior: "replace", files: ["plan.yaml"] },
      {
        name: "rehearse-run",
        behavior: "merge",
        literals: [`REHEARSE_FLEET=${isSecure ? "tls" : "nats"}://rehearse-bus:${busPort}/run`],
      },
    ],
    images: IMAGES,
    patches: [
      { target: { kind: "(Job|Deployment)" }, patch: JSON.stringify(ON_NODE) },
      { target: { kind: "Job", name: "rehearse-leader" }, patch: JSON.stringify(leader) },
      {
        target: { kind: "Deployment" },
        patch: JSON.stringify([
          replace(`${POD}/containers/0/ports/0/containerPort`, busPort),
          replace(`${POD}/containers/0/ports/1/containerPort`, monitorPort),
          ...["--addr=127.0.0.1", `--port=${busPort}`, `--http_port=${monitorPort}`]
            .map((arg) => add(`${POD}/containers/0/args/-`, arg)),
        ]),
      },
    ],
  });
}

/**
 * Writes an overlay of `deploy/kubernetes/log-profile` for a node without a pod network and without
 * registries. `variables` contains the settings of the object store.
 */
export async function logOverlay(
  folder: string,
  { base, variables }: { base: string; variables: Readonly<Record<string, string>> },
): Promise<void> {
  await writeKustomization(folder, {
    resources: [base],
    configMapGenerator: [{
      name: "rehearse-logs",
      behavior: "merge",
      literals: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    }],
    images: IMAGES,
    patches: [{ target: { kind: "Job" }, patch: JSON.stringify(ON_NODE) }],
  });
}

async function writeKustomization(folder: string, content: object): Promise<void> {
  // JSON is YAML.
  await Deno.writeTextFile(`${folder}/kustomization.yaml`, JSON.stringify(content, null, 2));
}
