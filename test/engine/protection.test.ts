import { expect, test } from "vitest";
import { valuesAt } from "../../components/core/reader/paths";
import type { TestWorkspace } from "../support/test-workspace";
import {
  cloudChanges,
  describeEngine,
  errorsOf,
  failing,
  openWorkspace,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { existing, managed } from "./support/cloud-and-state";

const clusterType = "aws:eks/cluster:Cluster";
const base = [ownAddress, "monitoring.enabled=true"];

function urnOf({ deployment }: Awaited<ReturnType<TestWorkspace["exportState"]>>, type: string): string {
  const found = deployment.resources?.find((one) => one.type === type);
  if (!found) throw new Error(`The state has no ${type}.`);
  return found.urn;
}

// The sentences of docs/changes.md, section "Protection". Each test continues where the previous one ended.
describeEngine("protection", () => {
  const shared = sharedWorkspace({ config: base });

  test("pulumi state protect: a destroy or an update that would delete or replace the resource changes nothing", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    const before = await managed(workspace);
    await workspace.protect(urnOf(await workspace.exportState(), "aws:kms/key:Key"));
    await succeeding(workspace.preview({ expectNoChanges: true }));
    const refused = /Preview failed: resource "\S+gpu-lab-cluster-secrets-key" cannot be deleted/;
    expect(errorsOf(await failing(workspace.destroy({ previewFirst: true })))).toMatch(refused);
    workspace.configure([...base, "network.flowLogs=true", "secretsKey=none", "confirm.replaceCluster=myeks"]);
    expect(errorsOf(await failing(workspace.up({ previewFirst: true })))).toMatch(refused);
    expect(await managed(workspace)).toEqual(before);
    expect(existing(workspace)).toEqual(before);
  });

  test("the key, the logs, the metrics and the disks have the protection that the page names, and no more", () => {
    const { cloud } = shared.current;
    const inputs = (type: string) => cloud.find(type)[0]?.inputs ?? {};
    expect(inputs("aws:kms/key:Key")["deletionWindowInDays"]).toBe(7);
    const logs = inputs("aws:cloudwatch/logGroup:LogGroup");
    expect([logs["retentionInDays"], logs["skipDestroy"] ?? false]).toEqual([7, false]);
    const metrics = valuesAt(
      inputs("kubernetes:helm.sh/v3:Release"),
      "values.prometheus.prometheusSpec.storageSpec",
    )[0];
    expect(metrics).toEqual({ emptyDir: { sizeLimit: "4Gi" } });
    const templates = cloud.find("aws:ec2/launchTemplate:LaunchTemplate").map((one) => one.inputs);
    const kept = valuesAt({ templates }, "templates[*].blockDeviceMappings[*].ebs.deleteOnTermination");
    expect(kept).toEqual(["true", "true"]);
  });

  test("deletionProtection: a destroy does not begin; with the program, it deletes nodes and what is in the cluster, and fails at the cluster", async () => {
    const workspace = shared.current;
    await workspace.unprotect();
    workspace.configure([...base, "deletionProtection=true"]);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual([
      "update Cluster gpu-lab-cluster-eksCluster: deletionProtection",
    ]);
    const before = existing(workspace);
    const stopped = errorsOf(await failing(workspace.destroy({ previewFirst: true })));
    expect(stopped).toContain(
      "Resource has delete hooks registered, but the program is not running. Hooks: deletionProtection",
    );
    expect(stopped).toContain("You must run with the `--run-program` flag");
    expect(existing(workspace)).toEqual(before);
    const errors = errorsOf(await failing(workspace.destroy({ previewFirst: true, runProgram: true })));
    expect(errors).toContain("Cluster cannot be deleted while deletion protection is enabled");
    expect(workspace.cloud.find(clusterType)).toHaveLength(1);
    expect(existing(workspace).filter((line) => /^(kubernetes|aws:eks\/(?!cluster))/.test(line))).toEqual([]);
    const found = existing(workspace);
    expect((await managed(workspace)).filter((line) => /^(kubernetes|aws:eks)/.test(line))).toEqual(
      found.filter((line) => line.startsWith(clusterType)),
    );
  });

  test("the next update creates again what was deleted", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
    expect(await managed(workspace)).toEqual(existing(workspace));
  });

  test("without deletionProtection, and unprotected, a destroy leaves nothing", async () => {
    const workspace = shared.current;
    await workspace.protect(urnOf(await workspace.exportState(), clusterType));
    await workspace.unprotect();
    workspace.configure(base);
    expect(cloudChanges(await succeeding(workspace.up()))).toEqual([
      "update Cluster gpu-lab-cluster-eksCluster: deletionProtection",
    ]);
    await succeeding(workspace.destroy({ previewFirst: true }));
    expect(workspace.cloud.objects).toEqual([]);
  });
});

describeEngine("protection in a program", () => {
  test("the transform of the page protects the cluster, and the key stays for 30 days", async () => {
    const workspace = await openWorkspace({ project: "test/engine/programs/protected", stack: "dev", config: [] });
    await succeeding(workspace.up());
    const before = existing(workspace);
    const [key] = workspace.cloud.find("aws:kms/key:Key");
    expect(key?.inputs["deletionWindowInDays"]).toBe(30);
    const errors = errorsOf(await failing(workspace.destroy({ previewFirst: true })));
    expect(errors).toMatch(/resource "\S+lab-cluster\S*" cannot be deleted/);
    expect(existing(workspace)).toEqual(before);
    await workspace.unprotect();
    await succeeding(workspace.destroy({ previewFirst: true }));
    expect(workspace.cloud.objects).toEqual([]);
  });
});
