import { beforeAll, expect, test } from "vitest";
import type { TestWorkspace } from "../support/test-workspace";
import { togglesOf } from "../../stacks/run/lab";
import { labs, type LabName } from "../../stacks/labs";
import {
  cloudChanges,
  errorsOf,
  describeEngine,
  failing,
  ownAddress,
  reversed,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { existing, managed } from "./support/cloud-and-state";

const stackOf = (name: string) => `environment=organization/eks-gpu-lab/${name}`;
const ownersConfig = [ownAddress, "monitoring.enabled=true", "gpuHealth.engine=operator"];

// Three stacks share one cluster: gpu-lab owns it, device-plugin installs the GPU Operator in it, and gpu-rollout uses that
// operator. Each test continues where the previous one ended.
describeEngine("labs in the cluster of another stack", () => {
  const owner = sharedWorkspace({ config: ownersConfig });
  let installer: TestWorkspace;
  let user: TestWorkspace;
  let own: readonly string[];
  beforeAll(async () => {
    installer = await owner.current.addStack("device-plugin", [stackOf("gpu-lab")]);
    user = await owner.current.addStack("gpu-rollout", [stackOf("gpu-lab")]);
  });

  /** State and cloud match, for the owner of the cluster too. */
  async function expectLenderUntouched(...borrowers: readonly TestWorkspace[]): Promise<void> {
    expect(await managed(owner.current)).toEqual(own);
    const others = await Promise.all(borrowers.map(managed));
    expect(existing(owner.current)).toEqual([...own, ...others.flat()].sort());
  }

  async function expectFaultOnAndOff(workspace: TestWorkspace, name: LabName, environment: string): Promise<void> {
    const [fault] = togglesOf(labs[name], new Date());
    workspace.configure([environment, ...(fault?.config ?? [])]);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual([...(fault?.changes ?? [])].sort());
    workspace.configure([environment]);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual(reversed(fault?.changes ?? []));
  }

  test("a stack that is not deployed cannot share its cluster", async () => {
    expect(errorsOf(await failing(installer.preview()))).toContain(
      "pulumi up --stack organization/eks-gpu-lab/gpu-lab",
    );
  });

  test("the first lab installs the operator for the cluster, and a second update changes nothing", async () => {
    await succeeding(owner.current.up());
    own = await managed(owner.current);
    const changes = cloudChanges(await succeeding(installer.up()));
    expect(changes.filter((line) => !line.startsWith("create "))).toEqual([]);
    const [operator] = owner.current.cloud.find("kubernetes:helm.sh/v3:Release", { name: "gpu-operator" });
    expect(operator?.inputs).toMatchObject({
      values: { dcgm: { enabled: true }, dcgmExporter: { serviceMonitor: { enabled: true } } },
    });
    await succeeding(installer.preview({ expectNoChanges: true }));
    await expectLenderUntouched(installer);
  });

  test("its fault makes the changes that the lab declares, and can be removed", async () => {
    await expectFaultOnAndOff(installer, "device-plugin", stackOf("gpu-lab"));
    await succeeding(installer.preview({ expectNoChanges: true }));
    await expectLenderUntouched(installer);
  });

  test("a second lab cannot install another operator, and does not affect the first lab", async () => {
    expect(errorsOf(await failing(user.up()))).toContain('namespaces "gpu-operator" already exists');
    expect(await managed(user)).toEqual([]);
    await expectLenderUntouched(installer);
  });

  test("the second lab can use the operator of the first lab", async () => {
    user.configure([stackOf("device-plugin")]);
    await succeeding(user.up());
    expect((await managed(user)).filter((line) => line.includes("gpu-operator"))).toEqual([]);
    await expectFaultOnAndOff(user, "gpu-rollout", stackOf("device-plugin"));
    await expectLenderUntouched(installer, user);
  });

  test("destroy removes both labs, and the owner of the cluster has no changes", async () => {
    await succeeding(user.destroy());
    await succeeding(installer.destroy());
    await expectLenderUntouched();
    await succeeding(owner.current.preview({ expectNoChanges: true }));
  });
});
