import * as pulumi from "@pulumi/pulumi";
import { Addon, getAddonVersionOutput, type AddonArgs } from "@pulumi/aws/eks";
import { childOptions } from "../../core/options";
import { resolveArgs } from "../../core/schema";
import { named, token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { nodeMonitoringAgent, type NodeMonitoringAgentArgs } from "./node-monitoring-schema";

const addonName = "eks-node-monitoring-agent";

/**
 * Reports broken hardware, kernels, networks, disks and container runtimes as node conditions: installs the EKS add-on
 * eks-node-monitoring-agent. Node repair acts on these conditions.
 *
 * Removing the add-on removes its DaemonSets. A `dcgm-server` left behind would be a second DCGM engine on the node.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
 * @cost No additional charge. The agent uses 10m CPU and 30 MiB of every node, and runs a DCGM engine on every GPU
 * node.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class NodeMonitoringAgent extends pulumi.ComponentResource {
  /** Version of the add-on that is installed. */
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: NodeMonitoringAgentArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `NodeMonitoringAgent "${name}"`;
    const { transform, ...settings } = resolveArgs(subject, nodeMonitoringAgent, args);
    super(token("NodeMonitoringAgent"), name, settings, opts);

    const addon = new Addon(
      ...transformed<AddonArgs>(
        transform?.addon,
        name,
        {
          addonName,
          clusterName: settings.clusterName,
          addonVersion: settings.version ?? this.defaultVersion(settings.kubernetesVersion),
          configurationValues: JSON.stringify(settings.configuration),
          // Overwrites manual changes in the cluster, which might drop the tolerations.
          resolveConflictsOnCreate: "OVERWRITE",
          resolveConflictsOnUpdate: "OVERWRITE",
          preserve: false,
          tags: named(addonName, settings.tags),
        },
        childOptions(this, opts),
      ),
    );

    this.version = addon.addonVersion;
    this.registerOutputs({ version: this.version });
  }

  private defaultVersion(kubernetesVersion: string): pulumi.Output<string> {
    return getAddonVersionOutput({ addonName, kubernetesVersion, mostRecent: false }, { parent: this }).version;
  }
}
