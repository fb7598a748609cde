import { kubernetesVersion, pinnedAddons } from "../../../components/core/versions";
import { laterAmiRelease } from "../../simulation/aws/eks/foundation";

/** Configuration with a later chart of the GPU Operator. */
export const newerChart = ["gpuOperator.chartVersion=v26.3.3"];

/** Configuration with a later AMI release for both node groups. */
export const newerImages = ["systemNodes", "gpuNodes"].map((key) => `${key}.releaseVersion=${laterAmiRelease}`);

/** What the next Kubernetes minor needs: images of it, and the add-ons of today except kube-proxy. */
export const nextKubernetesPins = [
  "systemNodes.releaseVersion=1.36.2-20261101",
  "gpuNodes.releaseVersion=1.36.2-20261101",
  ...Object.entries(pinnedAddons[kubernetesVersion] ?? {}).map(([name, version]) => `addons.${name}=${version}`),
  "addons.kube-proxy=v1.36.1-eksbuild.2",
];

/** Configuration with the next Kubernetes minor. */
export const nextKubernetes = ["kubernetesVersion=1.36", ...nextKubernetesPins];
