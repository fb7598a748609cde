import { failIf, stackRule } from "../../engine/rule";
import { all } from "../../../components/core/reader/truth";
import { isGpuGroup, managedNodeGroup, nodeGroup, scalingGroup } from "../nodes/gpu-group";
import { launchTemplate, templatesOf } from "./launch-template";
import { driftOf, type Drift } from "./user-data";

const groups = [nodeGroup, managedNodeGroup, scalingGroup];

/** Amazon Linux 2023 takes its own packages from the release of the AMI unless told otherwise; NVIDIA's repository has none. */
const faults: Readonly<Record<Drift, { readonly got: string; readonly why: string }>> = {
  release: {
    got: "a script that goes on to the newest release",
    why: "What a node runs then depends on the day it started. A new kernel need not match the driver of the AMI, and then the node has no GPU.",
  },
  packages: {
    got: "a script that updates packages",
    why: "Amazon Linux 2023 stays at the release of its AMI, but NVIDIA's repository moves: driver and libraries are then those of the day the node started. Where they do not match the kernel module the node has no GPU.",
  },
};

/**
 * Judged are the launch templates of GPU groups. Other nodes may well want the newest packages.
 * @see https://docs.aws.amazon.com/linux/al2023/ug/deterministic-upgrades.html
 */
export const gpuUserdataDrift = stackRule({
  id: "gpu-userdata-drift",
  title: "GPU nodes do not update their packages at boot.",
  severity: "medium",
  incident:
    "dnf upgrade --releasever=latest at boot took a kernel for which the AMI had no NVIDIA module, and new nodes had no GPU",
  types: [...groups, launchTemplate],
  *judge(stack) {
    for (const group of stack.ofType(...groups)) {
      const isGpu = isGpuGroup(group, stack);
      for (const template of templatesOf(stack, group)) {
        const script = template.text("userData");
        yield failIf(
          all(
            isGpu,
            script.is((text) => driftOf(text) !== undefined),
          ),
          () => ({
            path: script.path,
            ...faults[driftOf(script.value ?? "") ?? "packages"],
            fix: "remove the update, and take newer packages with a newer AMI release",
          }),
          template,
        );
      }
    }
  },
});
