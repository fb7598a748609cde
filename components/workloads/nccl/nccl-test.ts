import * as pulumi from "@pulumi/pulumi";
import { Job } from "@pulumi/kubernetes/batch/v1/job";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { makeScript, replacedWhole, workloadOptions } from "../shared/workload";
import { job, script, service } from "./nccl-test-manifests";
import { ncclTest, type NcclTestArgs } from "./nccl-test-schema";

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
