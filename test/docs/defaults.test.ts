import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { controllerDefaults } from "../../components/cluster/controllers/controller-release";
import { eksClusterDefaults } from "../../components/cluster/eks-cluster-schema";
import { environmentDefaults } from "../../components/environment/environment-defaults";
import { gpuOperatorDefaults } from "../../components/gpu/operator/gpu-operator-args";
import { nodeFirewallDefaults } from "../../components/network/firewall/node-firewall-schema";
import { vpcDefaults } from "../../components/network/vpc/vpc-schema";
import { gpuAlertSettingDefaults } from "../../components/observe/alerts/alert-settings";
import { gpuDashboardDefaults } from "../../components/observe/dashboard/gpu-dashboard-args";
import { gpuAlertsDefaults } from "../../components/observe/gpu-alerts-args";
import { monitoringDefaults } from "../../components/observe/monitoring/monitoring-args";
import { gpuNodeGroupDefaults } from "../../components/nodes/gpu-node-group-settings";
import { systemNodeGroupDefaults } from "../../components/nodes/system-node-group";
import { gpuDeploymentDefaults } from "../../components/workloads/deployment/gpu-deployment-args";
import { faultInjectionDefaults } from "../../components/workloads/fault/fault-injection-args";
import { ncclTestDefaults } from "../../components/workloads/nccl/nccl-test-args";
import { gpuProbeDefaults } from "../../components/workloads/probe/gpu-probe-args";
import { workloadDefaults } from "../../components/workloads/shared/workload";
import { socketMountDefaults } from "../../components/workloads/socket/socket-mount-args";
import { socketWatchDefaults } from "../../components/workloads/socket/socket-watch-args";

/** Where arguments are documented, and the defaults that the code really uses. */
const documented: readonly [file: string, name: string, defaults: object][] = [
  ["components/network/vpc/vpc-schema.ts", "VpcArgs", vpcDefaults],
  ["components/network/firewall/node-firewall-schema.ts", "NodeFirewallArgs", nodeFirewallDefaults],
  ["components/cluster/eks-cluster-schema.ts", "EksClusterArgs", eksClusterDefaults],
  ["components/nodes/gpu-node-group-settings.ts", "GpuNodeGroupSettings", gpuNodeGroupDefaults],
  ["components/nodes/system-node-group.ts", "SystemNodeGroupSettings", systemNodeGroupDefaults],
  ["components/gpu/operator/gpu-operator-args.ts", "GpuOperatorArgs", gpuOperatorDefaults],
  ["components/observe/monitoring/monitoring-args.ts", "MonitoringArgs", monitoringDefaults],
  ["components/observe/gpu-alerts-args.ts", "GpuAlertsArgs", gpuAlertsDefaults],
  ["components/observe/alerts/alert-settings.ts", "GpuAlertSettings", gpuAlertSettingDefaults],
  ["components/observe/dashboard/gpu-dashboard-args.ts", "GpuDashboardArgs", gpuDashboardDefaults],
  ["components/environment/gpu-environment-args.ts", "GpuEnvironmentArgs", environmentDefaults],
  ["components/environment/gpu-environment-args.ts", "GpuNodeSettings", environmentDefaults],
  ["components/environment/gpu-environment-args.ts", "GpuHealthSettings", environmentDefaults],
  ["components/environment/gpu-environment-args.ts", "ControllerSettings", {}],
  ["components/environment/gpu-environment-args.ts", "ClusterAutoscalerSettings", {}],
  ["components/cluster/controllers/controller-release.ts", "ControllerArgs", controllerDefaults],
  ["components/workloads/shared/workload.ts", "WorkloadArgs", workloadDefaults],
  ["components/workloads/probe/gpu-probe-args.ts", "GpuProbeArgs", gpuProbeDefaults],
  ["components/workloads/deployment/gpu-deployment-args.ts", "GpuDeploymentArgs", gpuDeploymentDefaults],
  ["components/workloads/shared/priority.ts", "GpuPriority", {}],
  ["components/workloads/nccl/nccl-test-args.ts", "NcclTestArgs", ncclTestDefaults],
  ["components/workloads/fault/fault-injection-args.ts", "FaultInjectionArgs", faultInjectionDefaults],
  ["components/workloads/socket/socket-watch-args.ts", "SocketWatchArgs", socketWatchDefaults],
  ["components/workloads/socket/socket-mount-args.ts", "SocketMountArgs", socketMountDefaults],
];

/** Each optional property of an interface with the text after its `@default`. */
function defaultsOf(file: string, name: string): Map<string, string | undefined> {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const declaration = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  if (!declaration) throw new Error(`${file} has no interface ${name}`);
  const optional = declaration.members.filter((member) => ts.isPropertySignature(member) && member.questionToken);
  return new Map(
    optional.map((member) => {
      const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === "default");
      return [member.name?.getText() ?? "", tag && ts.getTextOfJSDocComment(tag.comment)];
    }),
  );
}

/** The value that a `@default` begins with; undefined when it describes one in words. */
function literal(text: string): unknown {
  const [, value] = /^("[^"]*"|[\d.]+|true|false|\[\]|\{\})( |$)/.exec(text) ?? [];
  return value === undefined ? undefined : (JSON.parse(value) as unknown);
}

test.for(documented)("%s: every @default of %s is the code's", ([file, name, defaults]) => {
  const told = defaultsOf(file, name);
  expect(told.size).toBeGreaterThan(0);
  for (const [key, text] of told) {
    if (text === undefined) continue;
    const value = literal(text);
    if (value !== undefined && key in defaults) {
      expect([key, value]).toEqual([key, (defaults as Record<string, unknown>)[key]]);
    }
  }
  for (const [key, value] of Object.entries(defaults)) {
    if (!told.has(key) || typeof value === "object") continue;
    expect([key, literal(told.get(key) ?? "")]).toEqual([key, value]);
  }
});

test.for(documented)("%s: every optional argument of %s says its default, and why", ([file, name]) => {
  const exempt = ["transform"];
  for (const [key, text] of defaultsOf(file, name)) {
    if (exempt.includes(key)) continue;
    expect(`${key}: ${text ?? "no @default"}`).toMatch(/ - \S/);
  }
});
