import * as pulumi from "@pulumi/pulumi";
import { Job } from "@pulumi/kubernetes/batch/v1/job";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { withDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { serviceNameProblems } from "../shared/names";
import { replacedWhole, workloadOptions } from "../shared/workload";
import { ncclTestDefaults, ncclTestProblems, type NcclTestArgs, type NcclTestTransform } from "./nccl-test-args";
import { job, script, service } from "./nccl-test-job";

export { ncclTestDefaults, ncclTestProblems, type NcclTestArgs, type NcclTestTransform };

/** Commands that follow a test. */
export interface NcclTestCommands {
  /** Ends when the test has passed; on failure at its timeout. */
  readonly passed: pulumi.Output<string>;
  /** Ends when the test has failed; on success at its timeout. */
  readonly failed: pulumi.Output<string>;
  /** The reports of all pods: result, stage, transport, bandwidth, and why it failed. */
  readonly report: pulumi.Output<string>;
  /** The stages as they are reached; NCCL's own log once the pod ends. */
  readonly logs: pulumi.Output<string>;
}

/** An index of up to two digits and a dash are added to the name of each pod. */
const longestName = 60;

/**
 * Measures NCCL's all_reduce between nodes: a Job with one pod on each of two nodes of one zone. It says what carried
 * the data (`NET/Socket` is TCP, `NET/OFI efa` is EFA) and how fast, and where it hangs it says at which stage, instead
 * of hanging for ever. The Job's condition, `Complete` or `Failed`, is the result.
 *
 * Like nccl-tests it counts `busbw`, over torch.distributed rather than MPI: nccl-tests needs mpirun, and so an operator
 * and ssh keys, to run on several nodes. It measures float32 sums only, out of a Python process, so that small amounts
 * of data look slower than there. A run that hangs while pods wait or pull differs from a blocked path by its report.
 *
 * Reading of logs, stages, reports and timeouts is proved with a stand-in for PyTorch; with GPUs it has not run.
 *
 * @see https://github.com/NVIDIA/nccl-tests/blob/v2.17.1/doc/PERFORMANCE.md
 * @cost No charge of its own, and none for data within a zone. It holds a GPU node for each pod while it runs, minutes
 *   at most; where a Cluster Autoscaler runs it buys the nodes it lacks.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class NcclTest extends pulumi.ComponentResource {
  readonly jobName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: NcclTestCommands;

  constructor(name: string, args: NcclTestArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `NcclTest "${name}"`;
    refuse(subject, [...serviceNameProblems("name", name, longestName), ...ncclTestProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, ncclTestDefaults);
    super(token("NcclTest"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const mounted = new ConfigMap(
      // A ConfigMap that changes is made anew, and there can be one of a name.
      ...transformed(transform?.script, `${name}-script`, script(name, settings), {
        ...options,
        deleteBeforeReplace: true,
      }),
    );
    const names = new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));
    const beside = { serviceName: names.metadata.name, scriptName: mounted.metadata.name };
    const test = job(name, settings, beside);
    const made = new Job(...transformed(transform?.job, name, test, { ...options, ...replacedWhole }));

    this.jobName = made.metadata.name;
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
