/** More than EC2 takes, as base64. */
const longest = 64 * 1024;

/** Updates with packages of these names, or with none named at all, change what the driver was built for. */
const drivers = /^(\*|kernel|nvidia|cuda|libnvidia|containerd)/;

/**
 * What user data, base64 or plain, updates without being asked for: the whole system to its newest release, or packages
 * of the driver or all packages as the repositories offer them.
 */
export type Drift = "release" | "packages";

export function driftOf(userData: string): Drift | undefined {
  const given = userData.slice(0, longest);
  const found = [given, Buffer.from(given, "base64").toString("latin1")].flatMap((script) => [
    ...script.split(/[\n;&|]+/).map(driftOfCommand),
    upgradesByCloudInit(script) ? ("packages" as const) : undefined,
  ]);
  return found.find((drift) => drift === "release") ?? found.find((drift) => drift !== undefined);
}

/** One command of a script, or of a list of commands in YAML. */
function driftOfCommand(command: string): Drift | undefined {
  const words = command.trim().split(/[\s,"'[\]]+/, 200);
  if (words[0]?.startsWith("#")) return undefined;
  const manager = words.findIndex((word) => /^(\/usr\/bin\/)?(dnf|yum|microdnf)$/.test(word));
  if (manager < 0) return undefined;
  const rest = words.slice(manager + 1).join(" ");
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
 * Whether a cloud-config lets cloud-init update every package; `package_update` alone only reads what there is.
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html
 */
function upgradesByCloudInit(script: string): boolean {
  const isConfig = /^(#cloud-config|content-type: *text\/cloud-config)/im.test(script);
  return isConfig && /^["']?(package|apt)_upgrade["']? *: *["']?(true|yes|on|1)\b/im.test(script);
}
