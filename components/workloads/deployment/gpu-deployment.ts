import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { PriorityClass } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { withDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { serviceNameProblems } from "../shared/names";
import { longestRankedName, priorityClass } from "../shared/priority";
import { workloadOptions } from "../shared/workload";
import {
  gpuDeploymentDefaults,
  type GpuDeploymentArgs,
  type GpuDeploymentTransform,
  type GpuPriority,
} from "./gpu-deployment-args";
import { deployment, service, workload } from "./gpu-deployment-manifests";
import { gpuDeploymentProblems } from "./gpu-deployment-rules";

export {
  gpuDeploymentDefaults,
  gpuDeploymentProblems,
  type GpuDeploymentArgs,
  type GpuDeploymentTransform,
  type GpuPriority,
};

/** Commands that show a Deployment. */
export interface GpuDeploymentCommands {
  /** Waits for a rollout, and says why it does not end. */
  readonly rollout: pulumi.Output<string>;
  /** The pods with their nodes. */
  readonly pods: pulumi.Output<string>;
  /** The events of the pods: why they wait. */
  readonly describe: pulumi.Output<string>;
  /** The addresses behind the Service. */
  readonly endpoints: pulumi.Output<string>;
}

/**
 * Runs a server on GPUs: a Deployment with a Service of the same name, made so that a rollout cannot wait for a GPU that
 * its own old pod holds. By default it serves a list of its GPUs on port 8080.
 *
 * The default server is proved with a stand-in for nvidia-smi; on a GPU it has not run.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 * @cost No charge of its own. Each pod holds its GPUs, and so keeps a GPU node, until it is deleted.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class GpuDeployment extends pulumi.ComponentResource {
  readonly deploymentName: pulumi.Output<string>;
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuDeploymentCommands;

  constructor(name: string, args: GpuDeploymentArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuDeployment "${name}"`;
    refuse(subject, [...serviceNameProblems("name", name, longestRankedName), ...gpuDeploymentProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, gpuDeploymentDefaults);
    super(token("GpuDeployment"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const rank = settings.priority && priorityClass(workload, name, settings.priority);
    const ranked =
      rank &&
      new PriorityClass(
        // Neither value nor policy of a class can be changed.
        ...transformed(transform?.priorityClass, `${name}-priority`, rank, { ...options, deleteBeforeReplace: true }),
      );
    const pods = deployment(name, settings, ranked?.metadata.name);
    const made = new Deployment(...transformed(transform?.deployment, name, pods, options));
    const served = new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));

    this.deploymentName = made.metadata.name;
    this.serviceName = served.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.commands = commands(name, this.deploymentName, this.serviceName, this.namespace);
    const { deploymentName, serviceName, namespace } = this;
    this.registerOutputs({ deploymentName, serviceName, namespace, commands: this.commands });
  }
}

function commands(
  name: string,
  deploymentName: pulumi.Output<string>,
  serviceName: pulumi.Output<string>,
  namespace: pulumi.Output<string>,
): GpuDeploymentCommands {
  const own = `-l app.kubernetes.io/instance=${name}`;
  return {
    rollout: pulumi.interpolate`kubectl rollout status deployment/${deploymentName} -n ${namespace} --timeout=60s`,
    pods: pulumi.interpolate`kubectl get pods -n ${namespace} ${own} -o wide`,
    describe: pulumi.interpolate`kubectl describe pods -n ${namespace} ${own}`,
    endpoints: pulumi.interpolate`kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${serviceName}`,
  };
}
