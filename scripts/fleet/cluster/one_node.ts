import { endOf, sleep } from "./checks.ts";
import { run } from "./container_image.ts";
import { buildTestImages } from "./test_image.ts";

/** Component of a run: a value of the label `app.kubernetes.io/component`. */
export type Component = "bus" | "leader" | "joiner";

/** A Kubernetes cluster with one node, on this machine. */
export interface Cluster {
  /** Runs `kubectl` and returns its output. */
  kubectl(...args: string[]): Promise<string>;
  /** Waits until the only container of a component has ended, and returns its exit code. */
  exitCode(component: Component): Promise<number>;
  /** Waits until `count` containers of a component have ended, and returns their exit codes. */
  exitCodes(component: Component, count: number): Promise<number[]>;
  /** Returns the output of the only container of a component. */
  log(component: Component): Promise<string>;
  /**
   * Waits until all Jobs have ended. Returns the final condition of each Job, `Complete` or
   * `Failed`, by name.
   */
  jobs(): Promise<Record<string, string>>;
  /** Kills one running container of a component, and returns the name of its pod. */
  kill(component: Component): Promise<{ pod: string }>;
  /**
   * Waits until the processes of all running leaders and joiners have ended. Returns the times at
   * which they ended, in Unix milliseconds.
   */
  watchEnds(): Promise<number[]>;
  /** Stops all processes of the cluster and removes its state. */
  stop(): Promise<void>;
}

/** Maximum time in ms to wait for a container to end. */
const LIMIT_MS = 180_000;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly containerStatuses?: readonly [{
      readonly name: string;
      readonly containerID?: string;
      readonly state: {
        readonly running?: object;
        readonly terminated?: { readonly exitCode: number };
      };
    }];
  };
}

/** Builds Kubernetes and the images of the test, and starts a node. */
export async function startCluster(
  { bin, folder, port }: { bin: string; folder: string; port: number },
): Promise<Cluster> {
  const script = (name: string) => new URL(`kubernetes_${name}.sh`, import.meta.url).pathname;
  const state = `${folder}/cluster`;
  const env = { KUBE_BIN: bin, KUBE_STATE: state, KUBE_PORT: String(port) };
  const stop = async () => void await run("bash", [script("down")], env);
  await run("bash", [script("build")], env);
  await Deno.mkdir(`${folder}/images`);
  const images = await buildTestImages(`${folder}/images`, bin);
  try {
    // The programs that it starts inherit its output, so it must be a file.
    await run("bash", [script("up"), ...images], env);
  } catch (error) {
    await stop();
    throw error;
  }
  const kubectl = (...args: string[]) =>
    run(`${bin}/kubectl`, args, { KUBECONFIG: `${state}/kubeconfig` });
  const pods = async (component?: Component): Promise<Pod[]> => {
    const selector = component === undefined
      ? "app.kubernetes.io/component in (leader,joiner)"
      : `app.kubernetes.io/component=${component}`;
    return JSON.parse(await kubectl("get", "pods", "-l", selector, "-o", "json")).items;
  };
  const exitCodes = async (component: Component, count: number): Promise<number[]> => {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const found = await pods(component);
      const codes = found.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name))
        .map(({ status }) => status.containerStatuses?.[0].state.terminated?.exitCode);
      if (codes.length >= count && !codes.includes(undefined)) return codes as number[];
      if (Date.now() > deadline) {
        const events = await kubectl("get", "events");
        throw new Error(`timeout: exit codes of ${component}: ${codes.join()}\n${events}`);
      }
      await sleep(500);
    }
  };
  /**
   * Returns the pod and the process id of each running container of a component, or of all
   * components if `component` is undefined.
   */
  const processes = async (component?: Component): Promise<{ pod: string; pid: number }[]> => {
    const ctr = ["-a", `${state}/containerd.sock`, "-n", "k8s.io", "tasks", "ls"];
    const tasks = new Map(
      (await run(`${bin}/ctr`, ctr)).split("\n").slice(1)
        .map((line) => line.trim().split(/\s+/))
        .map(([id, pid]) => [id, Number(pid)]),
    );
    return (await pods(component)).flatMap(({ metadata, status }) => {
      const { state, containerID = "" } = status.containerStatuses?.[0] ?? { state: {} };
      const pid = tasks.get(containerID.replace("containerd://", ""));
      return state.running && pid !== undefined ? [{ pod: metadata.name, pid }] : [];
    });
  };
  return {
    kubectl,
    exitCodes,
    stop,
    exitCode: async (component) => (await exitCodes(component, 1))[0],
    async log(component) {
      const [{ metadata, status }] = await pods(component);
      const { name } = status.containerStatuses![0];
      const path = `${state}/pod-logs/default_${metadata.name}_${metadata.uid}/${name}/0.log`;
      // Each line starts with its time, its stream and a flag.
      return (await Deno.readTextFile(path)).replace(/^\S+ std\w+ [FP] /gm, "");
    },
    async jobs() {
      type Job = {
        metadata: { name: string };
        status: { conditions?: { type: string; status: string }[] };
      };
      for (const deadline = Date.now() + LIMIT_MS;; await sleep(500)) {
        const items: Job[] = JSON.parse(await kubectl("get", "jobs", "-o", "json")).items;
        const ends = items.map(({ metadata, status }) => {
          const final = status.conditions?.find(({ type, status }) =>
            (type === "Complete" || type === "Failed") && status === "True"
          );
          return [metadata.name, final?.type ?? "Running"];
        });
        if (ends.every(([, end]) => end !== "Running") || Date.now() > deadline) {
          return Object.fromEntries(ends);
        }
      }
    },
    async kill(component) {
      const [{ pod, pid }] = await processes(component);
      Deno.kill(pid, "SIGKILL");
      return { pod };
    },
    async watchEnds() {
      return await Promise.all((await processes()).map(({ pid }) => endOf(pid)));
    },
  };
}
