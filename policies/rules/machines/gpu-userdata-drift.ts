import { all } from "../../engine/values";
import { failAt, onEach, stackRule } from "../../engine/rule";
import { templatesOf, templateTypes } from "../../facts/launch-templates";
import { isGpuGroup, nodeGroupsIn } from "../../facts/node-groups";
import { nodeTypes } from "../../facts/node-sources";
import { userDataTexts } from "../../facts/user-data-taints";

/**
 * By default Amazon Linux 2023 installs its packages from the release of the AMI. NVIDIA's repository has no releases.
 */
const faults: Readonly<Record<Drift, { readonly got: string; readonly why: string }>> = {
  release: {
    got: "a script that updates to the newest release",
    why: "The packages of a node then depend on the day it started. If a new kernel does not match the driver of the AMI, the node has no GPU.",
  },
  distribution: {
    got: "a script that upgrades packages",
    why: "The kernel and the driver then depend on the day the node started. If they do not match, the node has no GPU.",
  },
  packages: {
    got: "a script that updates packages",
    why: "Amazon Linux 2023 stays at the release of its AMI, but NVIDIA's repository changes. The driver and its libraries then depend on the day the node started. If they do not match the kernel module, the node has no GPU.",
  },
};

/**
 * The rule checks the launch templates of GPU node groups, and the node classes of GPU NodePools.
 * @see https://docs.aws.amazon.com/linux/al2023/ug/deterministic-upgrades.html
 */
export const gpuUserdataDrift = stackRule({
  id: "gpu-userdata-drift",
  title: "GPU nodes do not update their packages at boot.",
  severity: "medium",
  incident:
    "a boot script with dnf upgrade --releasever=latest installed a kernel without an NVIDIA module, and new nodes had no GPU",
  types: [...nodeTypes, ...templateTypes],
  *judge(stack) {
    for (const group of nodeGroupsIn(stack, nodeTypes)) {
      const isGpu = isGpuGroup(group, stack);
      yield* onEach(templatesOf(stack, group), function* (template) {
        const script = template.text("userData");
        const drift = driftOf(script.value ?? "");
        const drifts = script.is(() => drift !== undefined);
        yield failAt(script, all(isGpu, drifts), {
          ...faults[drift ?? "packages"],
          fix: "remove the update, and get newer packages with a newer AMI release",
        });
      });
    }
  },
});

/** Updates of these packages, or of all packages, change what the driver was built for. */
const drivers = /^(\*|kernel|nvidia|cuda|libnvidia|containerd)/;

/**
 * An update of the whole system to its newest release, or of driver packages or all packages from the
 * repositories, or of all packages with apt.
 */
type Drift = "release" | "packages" | "distribution";

/** What user data, base64 or plain, updates at boot. */
export function driftOf(userData: string): Drift | undefined {
  const found = userDataTexts(userData).flatMap((script) => [
    ...script.split(/[\n;&|]+/).map(driftOfCommand),
    upgradesByCloudInit(script) ? ("packages" as const) : undefined,
  ]);
  return found.find((drift) => drift === "release") ?? found.find((drift) => drift !== undefined);
}

/** One command of a script, or of a list of commands in YAML. */
function driftOfCommand(command: string): Drift | undefined {
  const words = command.trim().split(/[\s,"'[\]]+/, 200);
  if (words[0]?.startsWith("#")) return undefined;
  const manager = words.findIndex((word) => /^(\/usr\/bin\/)?(dnf|yum|microdnf|apt|apt-get)$/.test(word));
  if (manager < 0) return undefined;
  const rest = words.slice(manager + 1).join(" ");
  if (!words[manager]?.includes("apt")) return driftOfDnf(rest);
  return /(^| )(dist-|full-)?upgrade( |$)/.test(rest) ? "distribution" : undefined;
}

function driftOfDnf(rest: string): Drift | undefined {
  const release = /(?:^| )--releasever[= ]+(\S+)/.exec(rest)?.[1];
  if (release !== undefined && release !== "latest") return undefined;
  const [verb = "", ...packages] = rest
    .replace(/--releasever[= ]+\S+/, "")
    .split(" ")
    .filter((word) => word !== "" && !word.startsWith("-"));
  if (!/^(update|upgrade|distro-sync|update-minimal|upgrade-minimal)$/.test(verb)) return undefined;
  if (packages.length > 0 && !packages.some((name) => drivers.test(name))) return undefined;
  return release === "latest" ? "release" : "packages";
}

/**
 * Whether a cloud-config makes cloud-init update every package. `package_update` alone only refreshes the list.
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html
 */
function upgradesByCloudInit(script: string): boolean {
  const isConfig = /^(#cloud-config|content-type: *text\/cloud-config)/im.test(script);
  return isConfig && /^["']?(package|apt)_upgrade["']? *: *["']?(true|yes|on|1)\b/im.test(script);
}
