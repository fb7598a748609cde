import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { makePriorityClass } from "../shared/priority";
import { workloadOptions } from "../shared/workload";
import { deployment, service, workload } from "./gpu-deployment-manifests";
import { gpuDeployment, type GpuDeploymentArgs } from "./gpu-deployment-schema";

/** Commands that show a Deployment. */
export interface GpuDeploymentCommands {
  /** Waits for a rollout, and prints why the rollout does not end. */
  readonly rollout: pulumi.Output<string>;
  /** The pods with their nodes. */
  readonly pods: pulumi.Output<string>;
  /** The events of the pods: why they are pending. */
  readonly describe: pulumi.Output<string>;
  /** The addresses behind the Service. */
  readonly endpoints: pulumi.Output<string>;
}

/**
 * Runs a server on GPUs: a Deployment and a Service of the same name, whose rollout does not wait for a GPU that its own
 * old pod holds. By default it serves a list of its GPUs on port 8080.
 *
 * The default server is tested with a stub of nvidia-smi. It has not run on a GPU.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 * @cost No additional charge. Each pod holds its GPUs, and therefore a GPU node, until you delete the pod.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class GpuDeployment extends pulumi.ComponentResource {
  readonly deploymentName: pulumi.Output<string>;
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuDeploymentCommands;

  constructor(name: string, args: GpuDeploymentArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuDeployment "${name}"`;
    const named = problemsIn(serviceName(), name, "name");
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuDeployment, args, named);
    super(token("GpuDeployment"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const { priority } = settings;
    const rank = priority && makePriorityClass(workload, name, priority, transform?.priorityClass, options);
    const manifest = deployment(name, settings, rank?.metadata.name);
    const created = new Deployment(...transformed(transform?.deployment, name, manifest, options));
    const entry = new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));

    this.deploymentName = created.metadata.name;
    this.serviceName = entry.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.commands = commands(name, this.deploymentName, this.serviceName, this.namespace);
    this.registerOutputs({
      deploymentName: this.deploymentName,
      serviceName: this.serviceName,
      namespace: this.namespace,
      commands: this.commands,
    });
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
