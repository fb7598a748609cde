import { kubernetesVersion } from "../../../components/core/versions";
import { made, requirementOf, type Search } from "./go";

const module = "control-plane";

/** The release of Kubernetes that go.mod requires, e.g. `v1.35.4`. */
const release = requirementOf(module, "k8s.io/kubernetes");

/** The program with all parts of a control plane. */
export function findControlPlane(): Search {
  if (!release.startsWith(`v${kubernetesVersion}.`)) {
    return { why: `go.mod requires Kubernetes ${release}, and the labs run ${kubernetesVersion}` };
  }
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)\./.exec(release) ?? [];
  const variables = { gitVersion: release, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(variables).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
  const flags = ["-trimpath", "-buildvcs=false", `-ldflags=-s -w ${stamps.join(" ")}`];
  return made({
    module,
    notice: `Building Kubernetes ${release}. This takes 5 to 15 minutes, once.`,
    args: (path) => ["build", ...flags, "-o", path, "."],
  });
}
