import { test } from "vitest";
import { GpuNodeGroup } from "../../../components/nodes/gpu-node-group";
import { SystemNodeGroup } from "../../../components/nodes/system-node-group";
import { plan } from "../../support/plan";
test("probe", async () => {
  const r = await plan(() => {
    new GpuNodeGroup("gpu", {
      clusterName: "myeks",
      kubernetesVersion: "1.35",
      subnetId: "subnet-1",
      securityGroupIds: ["sg-1"],
    });
    new SystemNodeGroup("system", {
      clusterName: "myeks",
      kubernetesVersion: "1.35",
      subnetIds: ["subnet-1"],
      securityGroupIds: ["sg-1"],
    });
  });
  console.log(
    JSON.stringify(
      r.resources.map((x) => ({ n: x.name, t: x.type, i: x.inputs, o: x.options, d: x.dependencies })),
      null,
      1,
    ),
  );
});
