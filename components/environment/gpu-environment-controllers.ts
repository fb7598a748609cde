import { clusterAutoscalerProblems } from "../cluster/controllers/cluster-autoscaler";
import { externalDnsIdentityProblems } from "../cluster/controllers/external-dns-identity";
import { loadBalancerControllerProblems } from "../cluster/controllers/load-balancer-controller";
import { isPlainObject, join, noObject, onlyKeys } from "../core/checks";
import type { Problem } from "../core/problems";
import { kubernetesVersion as anyVersion } from "../core/versions";
import type { ControllerSettings } from "./gpu-environment-args";

type Settings = Readonly<Record<string, unknown>>;

/** The keys of each controller. */
const keys = {
  loadBalancerController: ["install"],
  clusterAutoscaler: ["install", "imageTag"],
  externalDns: ["hostedZoneIds"],
} satisfies { [C in keyof ControllerSettings]-?: (keyof NonNullable<ControllerSettings[C]>)[] };

/** Problems of `controllers`. Without a sound Kubernetes version, what must fit it cannot be told. */
export function controllerProblems(
  controllers: ControllerSettings | undefined,
  kubernetesVersion: string | undefined,
): Problem[] {
  const given = (controllers ?? {}) as Settings;
  const checks: Record<keyof ControllerSettings, (settings: Settings, path: string) => readonly Problem[]> = {
    loadBalancerController: (settings, path) =>
      loadBalancerControllerProblems({ ...settings, clusterName: "any", vpcId: "any" }, path),
    clusterAutoscaler: ({ imageTag, ...settings }, path) =>
      clusterAutoscalerProblems(
        {
          ...settings,
          ...(kubernetesVersion !== undefined && imageTag !== undefined && { imageTag: imageTag as string }),
          kubernetesVersion: kubernetesVersion ?? anyVersion,
          clusterName: "any",
        },
        path,
      ),
    externalDns: (settings, path) => externalDnsIdentityProblems({ ...settings, clusterName: "any" }, path),
  };
  return [
    ...onlyKeys("controllers", given, Object.keys(checks)),
    ...Object.entries(checks).flatMap(([key, check]) => {
      const path = join("controllers", key);
      const settings = given[key];
      if (settings === undefined) return [];
      if (!isPlainObject(settings)) return noObject(path, settings);
      const known: readonly string[] = keys[key as keyof ControllerSettings];
      const own = Object.fromEntries(Object.entries(settings).filter(([inner]) => known.includes(inner)));
      return [...onlyKeys(path, settings, known), ...check(own, path)];
    }),
  ];
}
