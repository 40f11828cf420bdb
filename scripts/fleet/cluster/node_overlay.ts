import { TEST_IMAGE } from "./test_image.ts";

/** What an overlay for the test node needs to know. */
export interface NodeFacts {
  /** Path of the folder of `deploy/kubernetes` to run, relative to the overlay. */
  readonly base: string;
  readonly busPort: number;
  readonly monitorPort: number;
  /** Folder of this machine in which the leader writes `summary.json`. */
  readonly results: string;
  /** Text of the plan. */
  readonly plan: string;
}

/**
 * Writes an overlay for a node without a pod network and without registries: all pods use the
 * network of the machine, the name of the bus resolves to 127.0.0.1, and images are local. The node
 * has two cores, so the pods request less CPU time.
 */
export async function nodeOverlay(folder: string, facts: NodeFacts): Promise<void> {
  const { base, busPort, monitorPort, results, plan } = facts;
  const pod = "/spec/template/spec";
  const add = (path: string, value: unknown) => ({ op: "add", path, value });
  const replace = (path: string, value: unknown) => ({ op: "replace", path, value });
  const onNode = [
    add(`${pod}/hostNetwork`, true),
    add(`${pod}/hostAliases`, [{ ip: "127.0.0.1", hostnames: ["rehearse-bus"] }]),
    add(`${pod}/containers/0/imagePullPolicy`, "Never"),
    replace(`${pod}/containers/0/resources/requests/cpu`, "50m"),
  ];
  const leader = [
    add(`${pod}/containers/0/args/-`, "--summary-export=/results/summary.json"),
    add(`${pod}/containers/0/volumeMounts/-`, { name: "results", mountPath: "/results" }),
    add(`${pod}/volumes/-`, { name: "results", hostPath: { path: results } }),
  ];
  const isSecure = base.endsWith("secure-bus");
  const kustomization = {
    resources: [base],
    configMapGenerator: [
      { name: "rehearse-plan", behavior: "replace", files: ["plan.yaml"] },
      {
        name: "rehearse-run",
        behavior: "merge",
        literals: [`REHEARSE_FLEET=${isSecure ? "tls" : "nats"}://rehearse-bus:${busPort}/run`],
      },
    ],
    images: ["rehearse", "nats"].map((name) => {
      const [newName, newTag] = TEST_IMAGE.split(":");
      return { name, newName, newTag };
    }),
    patches: [
      { target: { kind: "(Job|Deployment)" }, patch: JSON.stringify(onNode) },
      { target: { kind: "Job", name: "rehearse-leader" }, patch: JSON.stringify(leader) },
      {
        target: { kind: "Deployment" },
        patch: JSON.stringify([
          replace(`${pod}/containers/0/ports/0/containerPort`, busPort),
          replace(`${pod}/containers/0/ports/1/containerPort`, monitorPort),
          ...["--addr=127.0.0.1", `--port=${busPort}`, `--http_port=${monitorPort}`]
            .map((arg) => add(`${pod}/containers/0/args/-`, arg)),
        ]),
      },
    ],
  };
  await Deno.writeTextFile(`${folder}/plan.yaml`, plan);
  // JSON is YAML.
  await Deno.writeTextFile(`${folder}/kustomization.yaml`, JSON.stringify(kustomization, null, 2));
}
