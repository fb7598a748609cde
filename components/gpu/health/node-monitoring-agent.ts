import * as pulumi from "@pulumi/pulumi";
import { Addon, getAddonVersionOutput, type AddonArgs } from "@pulumi/aws/eks";
import { withDefaults } from "../../core/defaults";
import { childOptions } from "../../core/options";
import { refuse } from "../../core/problems";
import { named, token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import {
  nodeMonitoringAgentDefaults,
  nodeMonitoringAgentProblems,
  type NodeMonitoringAgentArgs,
  type NodeMonitoringAgentTransform,
} from "./node-monitoring-rules";

export {
  nodeMonitoringAgentDefaults,
  nodeMonitoringAgentProblems,
  type NodeMonitoringAgentArgs,
  type NodeMonitoringAgentTransform,
};

const addonName = "eks-node-monitoring-agent";

/**
 * Reports broken hardware, kernels, networks, disks and container runtimes as node conditions: installs the EKS add-on
 * eks-node-monitoring-agent. Node repair acts on these conditions.
 *
 * Removing the add-on removes its DaemonSets: a `dcgm-server` left behind would be a second DCGM engine beside the
 * one chosen next.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
 * @cost No charge of its own. Takes 10m CPU and 30 MiB of every node, and a DCGM engine of every GPU node.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class NodeMonitoringAgent extends pulumi.ComponentResource {
  /** Version of the add-on that is installed. */
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: NodeMonitoringAgentArgs, opts?: pulumi.ComponentResourceOptions) {
    refuse(`NodeMonitoringAgent "${name}"`, nodeMonitoringAgentProblems(args));
    const { transform, ...stated } = args;
    const settings = withDefaults(stated, nodeMonitoringAgentDefaults);
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
          // What somebody changed by hand in the cluster gives way, or the tolerations might be lost.
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
