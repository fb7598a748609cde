import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Job, type JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import { Service, type ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { core } from "@pulumi/kubernetes/types/input";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import {
  makeScript,
  replacedWhole,
  workloadOptions,
  awaited,
  selectorLabels,
  workloadLabels,
} from "../shared/workload";
import { ncclTest, type NcclTestArgs } from "./nccl-test-schema";

type Settings = Omit<ValueOf<typeof ncclTest>, "cluster" | "transform">;

const workload = "nccl-test";
const rendezvousPort = 29_500;

/** Commands that follow a test. */
export interface NcclTestCommands {
  /** Waits until the test has passed. After a failure it ends at its timeout. */
  readonly passed: pulumi.Output<string>;
  /** Waits until the test has failed. After a success it ends at its timeout. */
  readonly failed: pulumi.Output<string>;
  /** The reports of all pods: result, stage, transport, bandwidth, and the reason of a failure. */
  readonly report: pulumi.Output<string>;
  /** The stages as they are reached; NCCL's own log once the pod ends. */
  readonly logs: pulumi.Output<string>;
}

/** Kubernetes appends a dash and an index of up to two digits to the name of each pod. */
const longestName = 60;

/**
 * Measures NCCL's all_reduce between nodes: a Job with one pod on each of two nodes of one zone. It reports the transport
 * (`NET/Socket` is TCP, `NET/OFI efa` is EFA) and the bandwidth. A test that hangs ends at its timeout and reports the
 * stage. The Job's condition, `Complete` or `Failed`, is the result.
 *
 * It counts `busbw` like nccl-tests, but over torch.distributed instead of MPI: to run on several nodes, nccl-tests
 * needs mpirun, an operator and SSH keys. It measures float32 sums only, from a Python process, so small amounts of
 * data are slower than in nccl-tests. The report distinguishes a blocked path from pods that are pending or pull their
 * image.
 *
 * Logs, stages, reports and timeouts are tested with a stub of PyTorch. It has not run on GPUs.
 *
 * @see https://github.com/NVIDIA/nccl-tests/blob/v2.17.1/doc/PERFORMANCE.md
 * @cost No additional charge; data transfer within a zone is free. While the test runs, a few minutes, it needs a GPU
 * node for each pod; a Cluster Autoscaler starts the nodes that are missing.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class NcclTest extends pulumi.ComponentResource {
  readonly jobName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: NcclTestCommands;

  constructor(name: string, args: NcclTestArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `NcclTest "${name}"`;
    const named = problemsIn(serviceName({ longest: longestName }), name, "name");
    const { cluster, transform, ...settings } = resolveArgs(subject, ncclTest, args, named);
    super(token("NcclTest"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const scripts = makeScript(name, script(name, settings), transform?.script, options);
    const names = new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));
    const parts = { serviceName: names.metadata.name, scriptName: scripts.metadata.name };
    const manifest = job(name, settings, parts);
    const created = new Job(...transformed(transform?.job, name, manifest, { ...options, ...replacedWhole }));

    this.jobName = created.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    const seconds = settings.pendingSeconds + settings.timeoutSeconds + 30;
    this.commands = commands(this.jobName, this.namespace, seconds);
    this.registerOutputs({ jobName: this.jobName, namespace: this.namespace, commands: this.commands });
  }
}

function commands(name: pulumi.Output<string>, namespace: pulumi.Output<string>, seconds: number): NcclTestCommands {
  const wait = (condition: string) =>
    pulumi.interpolate`kubectl wait --for=condition=${condition} job/${name} -n ${namespace} --timeout=${seconds}s`;
  const own = pulumi.interpolate`-n ${namespace} -l batch.kubernetes.io/job-name=${name}`;
  const message = "{.status.containerStatuses[0].state.terminated.message}";
  return {
    passed: wait("Complete"),
    failed: wait("Failed"),
    report: pulumi.interpolate`kubectl get pods ${own} -o jsonpath='{range .items[*]}{.metadata.name}{" "}${message}{"\\n"}{end}'`,
    logs: pulumi.interpolate`kubectl logs ${own} --prefix --tail=-1`,
  };
}

/**
 * The scripts, as the pods mount them.
 *
 * `all_reduce.py` runs in each pod. It connects to pod 0, starts NCCL, which connects the ranks, measures all_reduce
 * and writes its report as the termination message of the pod. A separate thread ends the pod when a stage hangs,
 * because a collective operation that waits for a lost node never returns.
 *
 * `report.py` reads NCCL's log and writes the report. It uses only the standard library, so it is tested without a GPU
 * and without PyTorch. It reads the transport from the line of each channel (`via NET/Socket/0`), not from the plugin:
 * NCCL can load a plugin without using it. Amazon's plugin names itself `AWS Libfabric` or `Libfabric` and also works
 * over TCP, so the report names its provider.
 * @see https://github.com/NVIDIA/nccl/blob/v2.27.3-1/src/transport/net.cc
 */
function script(name: string, { namespace }: Settings): ConfigMapArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name) },
    data: Object.fromEntries(
      ["report.py", "all_reduce.py"].map((file) => [file, readFileSync(join(__dirname, "scripts", file), "utf8")]),
    ),
  };
}

/** Gives each pod a DNS name before the pod is ready: `nccl-test-0.nccl-test`. */
function service(name: string, { namespace, wait }: Settings): ServiceArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name), ...awaited(wait) },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorLabels(workload, name),
      ports: [{ name: "rendezvous", port: rendezvousPort }],
    },
  };
}

/** Names of the other objects that the Job uses. */
interface JobParts {
  readonly serviceName: pulumi.Output<string>;
  readonly scriptName: pulumi.Output<string>;
}

function job(name: string, settings: Settings, parts: JobParts): JobArgs {
  const { namespace, nodes, timeoutSeconds, pendingSeconds, wait } = settings;
  const labels = workloadLabels(workload, name);
  const deadlineSeconds = pendingSeconds + timeoutSeconds;
  return {
    metadata: { name, namespace, labels, ...awaited(wait, { deadlineSeconds }) },
    spec: {
      completionMode: "Indexed",
      completions: nodes,
      parallelism: nodes,
      // No pod runs twice. After a failure the others still write their report: with `backoffLimit: 0` the first failure
      // would delete them.
      backoffLimitPerIndex: 0,
      activeDeadlineSeconds: deadlineSeconds,
      template: { metadata: { labels }, spec: podSpec(name, settings, parts) },
    },
  };
}

function podSpec(name: string, settings: Settings, { serviceName, scriptName }: JobParts): core.v1.PodSpec {
  return {
    ...podBasics(settings.taints),
    subdomain: serviceName,
    restartPolicy: "Never",
    affinity: onOwnNodes(selectorLabels(workload, name)),
    containers: [container(name, settings)],
    volumes: [
      { name: "script", configMap: { name: scriptName } },
      { name: "tmp", emptyDir: {} },
      // The GPUs of one node need more than the 64 MiB of a container's own shared memory.
      { name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    ],
  };
}

/** Each pod runs on a separate node, all in one zone: data transfer between zones costs money and time. */
function onOwnNodes(matchLabels: Record<string, string>): core.v1.Affinity {
  const term = (topologyKey: string) => ({
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels }, topologyKey }],
  });
  return { podAntiAffinity: term("kubernetes.io/hostname"), podAffinity: term("topology.kubernetes.io/zone") };
}

function container(name: string, settings: Settings): core.v1.Container {
  const { image, gpusPerNode, memory } = settings;
  return {
    name: "all-reduce",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["python3", "/opt/nccl-test/all_reduce.py"],
    env: variables(name, settings),
    ports: [{ name: "rendezvous", containerPort: rendezvousPort }],
    resources: resources({ cpu: "1", memory, gpus: gpusPerNode, devices: devices(settings) }),
    securityContext: leastRights,
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [
      { name: "script", mountPath: "/opt/nccl-test", readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
      { name: "shm", mountPath: "/dev/shm" },
    ],
  };
}

/** EFA keeps its buffers in huge pages, which nodes with EFA reserve. @see https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html */
function devices({ expectTransport, efaDevices = 1 }: Settings): Record<string, string> {
  if (expectTransport === "tcp") return {};
  return { "vpc.amazonaws.com/efa": String(efaDevices), "hugepages-2Mi": "5120Mi" };
}

function variables(name: string, settings: Settings): core.v1.EnvVar[] {
  const { nodes, gpusPerNode, timeoutSeconds, sizesMiB, expectTransport, attempt, env } = settings;
  const texts = {
    NODES: String(nodes),
    GPUS_PER_NODE: String(gpusPerNode),
    // The search list of the pod's DNS appends the namespace.
    RENDEZVOUS_HOST: `${name}-0.${name}`,
    RENDEZVOUS_PORT: String(rendezvousPort),
    TIMEOUT_SECONDS: String(timeoutSeconds),
    SIZES_MIB: sizesMiB.join(","),
    EXPECT_TRANSPORT: expectTransport,
    ATTEMPT: attempt,
    // PyTorch reads both, and a user without a name has neither.
    HOME: "/tmp",
    USER: "nccl-test",
    PYTHONDONTWRITEBYTECODE: "1",
    NCCL_DEBUG: "INFO",
    NCCL_DEBUG_SUBSYS: "INIT,BOOTSTRAP,NET,ENV",
    NCCL_DEBUG_FILE: "/tmp/nccl.%h.%p.log",
    // With the VPC CNI a pod has one network interface.
    NCCL_SOCKET_IFNAME: "eth0",
    ...(expectTransport === "efa" && { FI_PROVIDER: "efa" }),
    ...env,
  };
  return [
    ...Object.entries(texts).map(([variable, value]) => ({ name: variable, value })),
    { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
  ];
}
