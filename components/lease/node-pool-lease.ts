import * as pulumi from "@pulumi/pulumi";
import { CronJob, type CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount";
import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding";
import type { core } from "@pulumi/kubernetes/types/input";
import { nodePoolLabel } from "../core/instance-tags";
import { dnsLabel } from "../core/kubernetes-names";
import { childOptions } from "../core/options";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { problemsIn, resolveArgs, type ValueOf } from "../core/schema";
import { ownManager } from "../core/text";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import { gpuLimits } from "../nodes/pool/node-pool-manifests";
import { leastRights, podSecurity, resources } from "../workloads/shared/gpu-pod";
import { workloadLabels, workloadOptions } from "../workloads/shared/workload";
import { cronJobExpression, describeLease, leaseMoments, type LeaseMoment } from "./lease-documents";
import { makeSecondLine } from "./second-line";
import { nodePoolLease, type NodePoolLeaseArgs } from "./node-pool-lease-schema";

type Settings = Omit<ValueOf<typeof nodePoolLease>, "cluster" | "transform" | "secondLine">;

/** Commands that show a lease of NodePools, and that end nodes without waiting for it. */
export interface NodePoolLeaseCommands {
  /** Lists the runs: a failed run means that nodes may still exist. */
  readonly runs: pulumi.Output<string>;
  /** Lists the nodes that the lease terminates. */
  readonly nodes: pulumi.Output<string>;
  /** Starts a run for each NodePool now. */
  readonly endNow: pulumi.Output<string>;
}

/**
 * Ends the nodes of Karpenter or EKS Auto Mode that a forgotten session leaves: each day at a time, and at the end of the
 * lease, a CronJob for each NodePool sets its limit of `nvidia.com/gpu` to 0 and then deletes its NodeClaims. The order
 * matters: while the limit allows a GPU, Karpenter starts another node for each pod that waits.
 *
 * The limit stays at 0, and the NodePool starts no GPU node until you raise it again, by `pulumi up --refresh` or
 * `kubectl patch nodepool`. The next run ends what you start then.
 *
 * A run that fails is repeated for up to an hour, and completed by the next one. It fails while Karpenter is not running: the
 * finalizers of the NodeClaims keep them, and their instances, until it runs again. It fails as well for a NodePool that does
 * not exist, and for one with `replicas`, which accepts no such limit. A pod that may not be evicted delays the end of its
 * node until the `terminationGracePeriod` of the NodePool: set one. Alert on failed Jobs, such as with KubeJobFailed.
 *
 * The pods run on nodes of other NodePools or of a node group. RBAC cannot limit deletions by label, so the service account
 * may delete NodeClaims of every NodePool; the command selects those of its own.
 *
 * The lease needs a cluster that works. With `secondLine`, EventBridge Scheduler starts an SSM Automation 75 minutes later,
 * which terminates the instances that are left, except those that started later, and an alarm reports that. Karpenter replaces
 * them for pods that wait, as long as it runs and the limit allows it. Only EKS can end instances of EKS Auto Mode: the
 * Automation tries, and reports them.
 *
 * @see https://karpenter.sh/docs/concepts/nodepools/#speclimits
 * @cost No additional charge: each run has one pod for some minutes. With `secondLine`, 0.10 USD a month for its alarm.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class NodePoolLease extends pulumi.ComponentResource {
  readonly namespace: pulumi.Output<string>;
  readonly cronJobNames: pulumi.Output<string[]>;
  /** When the nodes are terminated, as one sentence. */
  readonly description: string;
  readonly commands: NodePoolLeaseCommands;

  constructor(name: string, args: NodePoolLeaseArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `NodePoolLease "${name}"`;
    const named = nameProblems(name, args);
    const { cluster, secondLine, transform = {}, ...settings } = resolveArgs(subject, nodePoolLease, args, named);
    super(token("NodePoolLease"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);
    const { namespace, nodePools } = settings;

    const labels = workloadLabels(workload, name);
    const accountArgs = { metadata: { name, namespace, labels }, automountServiceAccountToken: false };
    const account = new ServiceAccount(...transformed(transform.serviceAccount, name, accountArgs, options));
    const wide = { name: `${name}-${workload}`, labels };
    const roleArgs = { metadata: wide, rules: rulesFor(nodePools) };
    const role = new ClusterRole(...transformed(transform.clusterRole, `${name}-role`, roleArgs, options));
    const bindingArgs = {
      metadata: wide,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
      subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
    };
    const binding = new ClusterRoleBinding(
      ...transformed(transform.clusterRoleBinding, `${name}-binding`, bindingArgs, options),
    );
    const after = pulumi.mergeOptions(options, { dependsOn: binding });
    const jobs = leaseMoments(settings).flatMap((moment) =>
      nodePools.map((nodePool) => {
        const jobArgs = cronJob(name, moment, nodePool, settings, account.metadata.name);
        return new CronJob(...transformed(transform.cronJob, cronJobName(name, moment, nodePool), jobArgs, after));
      }),
    );

    if (secondLine) {
      const parts = { name, transform, options: childOptions(this, opts), settings: { ...settings, ...secondLine } };
      makeSecondLine(this, parts, secondLine, nodePools);
    }

    this.namespace = pulumi.output(namespace);
    this.cronJobNames = pulumi.output(jobs.map(({ metadata }) => metadata.name));
    this.description = describeLease(settings);
    this.commands = commands(name, settings, this.cronJobNames);
    const { cronJobNames, description } = this;
    this.registerOutputs({ namespace: this.namespace, cronJobNames, description, commands: this.commands });
  }
}

const workload = "node-pool-lease";

function cronJobName(name: string, { key }: Pick<LeaseMoment, "key">, nodePool: string): string {
  return `${name}-${key}-${nodePool}`;
}

/** The names of a CronJob's Jobs end with eleven more characters. */
function nameProblems(name: string, args: unknown): readonly Problem[] {
  const pools = isRecord(args) && Array.isArray(args["nodePools"]) ? (args["nodePools"] as readonly unknown[]) : [];
  const longest = Math.max(0, ...pools.map((pool) => cronJobName("", { key: "nightly" }, String(pool)).length));
  return problemsIn(dnsLabel({ example: "lease", longest: Math.max(1, 52 - longest) }), name, "name");
}

/** What the service account may do: set the limits of these NodePools, and delete NodeClaims. */
function rulesFor(nodePools: readonly string[]) {
  const apiGroups = ["karpenter.sh"];
  return [
    { apiGroups, resources: ["nodepools"], resourceNames: [...nodePools], verbs: ["get", "patch"] },
    // kubectl waits until the NodeClaims are gone. Without the right to get and watch them, it succeeds without waiting.
    { apiGroups, resources: ["nodeclaims"], verbs: ["get", "list", "watch", "delete"] },
  ];
}

/** A run that was due while the control plane was not available starts up to four hours late, as a schedule of AWS does. */
const startingDeadlineSeconds = 4 * 60 * 60;
/** The longest run. A node with a longer `terminationGracePeriod` still ends, but its run fails. */
const deadlineSeconds = 60 * 60;

function cronJob(
  name: string,
  moment: LeaseMoment,
  nodePool: string,
  { namespace, nodePools, image }: Settings,
  serviceAccountName: pulumi.Input<string>,
): CronJobArgs {
  const [schedule, timeZone] = [cronJobExpression(moment), moment.key === "end" ? "Etc/UTC" : moment.timeZone];
  const labels = workloadLabels(workload, name);
  const pod = { ...podSpec(nodePool, nodePools, image), serviceAccountName };
  return {
    metadata: { name: cronJobName(name, moment, nodePool), namespace, labels },
    spec: {
      ...{ schedule, timeZone, startingDeadlineSeconds, concurrencyPolicy: "Forbid" },
      ...{ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 3 },
      jobTemplate: {
        metadata: { labels },
        spec: {
          backoffLimit: 6,
          activeDeadlineSeconds: deadlineSeconds,
          template: { metadata: { labels }, spec: pod },
        },
      },
    },
  };
}

function podSpec(nodePool: string, nodePools: readonly string[], image: string): core.v1.PodSpec {
  const container = (containerName: string, args: readonly string[]) => ({
    ...{ name: containerName, image, args: [...args], securityContext: leastRights },
    resources: resources({ cpu: "10m", memory: "64Mi", memoryLimit: "128Mi" }),
  });
  const limit = JSON.stringify({ spec: { limits: gpuLimits(0) } });
  const stop = ["patch", "nodepools.karpenter.sh", nodePool, "--type=merge", ownManager, `--patch=${limit}`];
  const end = ["delete", "nodeclaims.karpenter.sh", `--selector=${nodePoolLabel}=${nodePool}`];
  // A node of the lease would end together with the pod.
  const elsewhere = { key: nodePoolLabel, operator: "NotIn", values: [...nodePools] };
  const required = { nodeSelectorTerms: [{ matchExpressions: [elsewhere] }] };
  return {
    restartPolicy: "Never",
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    priorityClassName: "system-cluster-critical",
    securityContext: podSecurity(),
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
    // Karpenter may have decided on a node before the limit was 0, and create its NodeClaim after the first deletion.
    initContainers: [container("stop-new-nodes", stop), container("end-nodes", [...end, "--timeout=50m"])],
    containers: [container("end-late-nodes", [...end, "--timeout=50m"])],
  };
}

function commands(
  name: string,
  { namespace, nodePools }: Settings,
  cronJobNames: pulumi.Output<string[]>,
): NodePoolLeaseCommands {
  const start = (cronJob: string, index: number) =>
    pulumi.interpolate`kubectl create job -n ${namespace} ${name}-now-${index + 1} --from=cronjob/${cronJob}`;
  return {
    runs: pulumi.interpolate`kubectl get jobs -n ${namespace} -l app.kubernetes.io/instance=${name}`,
    nodes: pulumi.output(`kubectl get nodeclaims -l '${nodePoolLabel} in (${nodePools.join(",")})'`),
    endNow: cronJobNames.apply((names) => pulumi.all(names.slice(0, nodePools.length).map(start))).apply(joined),
  };
}

function joined(commandList: readonly string[]): string {
  return commandList.join(" && ");
}
