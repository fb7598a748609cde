import { beforeAll, expect, test } from "vitest";
import type { Outcome, Step } from "../../simulation/pulumi/outcome";
import { describeEngine, everything, sharedWorkspace, succeeding } from "./support/engine";
import { dependenciesOf, expectDependency, expectOrder, stepsOf, type Dependencies } from "./support/order";
import { expectNoOrphan, existing } from "./support/cloud-and-state";

const baseAddons = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"];
const laterAddons = ["coredns", "metrics-server", "external-dns", "cert-manager", "node-monitoring"];

describeEngine("the order in which an update creates the whole environment", () => {
  const shared = sharedWorkspace({ config: [...everything, 'admins=["arn:aws:iam::123456789012:role/admin"]'] });
  let up: Outcome;
  let waits: Dependencies;
  beforeAll(async () => {
    up = await succeeding(shared.current.up());
    waits = dependenciesOf(await shared.current.exportState());
  });
  const made = (type: string, ...names: string[]) => stepsOf(up, type, ...names);
  /** Checks the order in this update, and the dependencies that guarantee it in every other. */
  const comesBefore = (first: readonly Step[], then: readonly Step[]) => {
    expectOrder(first, then);
    expectDependency(waits, first, then);
  };

  test("state and cloud contain the same objects", () => expectNoOrphan(shared.current));

  test("the log group exists before EKS would create it", () =>
    comesBefore(made("LogGroup", "cluster-logs"), made("Cluster", "eksCluster")));

  test("vpc-cni, kube-proxy and the Pod Identity agent exist before any node", () =>
    comesBefore(made("Addon", ...baseAddons), made("NodeGroup", "system", "gpu")));

  test("add-ons with Deployments are created after the system nodes", () =>
    comesBefore(made("NodeGroup", "system"), made("Addon", ...laterAddons)));

  test("Helm releases are created after the system nodes", () =>
    comesBefore(
      made("NodeGroup", "system"),
      made("Release", "gpu-operator", "autoscaler-release", "controller-release"),
    ));

  test("administrators have access before the first Kubernetes object", () => {
    comesBefore(made("AccessEntry"), [...made("Namespace"), ...made("Release")]);
    comesBefore(made("AccessPolicyAssociation"), [...made("Namespace"), ...made("Release")]);
  });

  test("nodes start after their roles, firewall rules and routes", () => {
    const groups = made("NodeGroup");
    comesBefore([...made("NatGateway"), ...made("Route"), ...made("RouteTableAssociation")], groups);
    comesBefore([...made("SecurityGroupIngressRule"), ...made("SecurityGroupEgressRule")], groups);
    for (const name of ["system", "gpu"]) {
      const attachments = ["worker", "registry", "cni", "ssm"].map((policy) => `${name}-role-${policy}`);
      comesBefore(made("RolePolicyAttachment", ...attachments), made("NodeGroup", name));
    }
  });

  test("a destroy deletes releases, then system nodes, then the cluster and its network", async () => {
    const destroy = await succeeding(shared.current.destroy());
    const gone = (type: string, ...names: string[]) => stepsOf(destroy, type, ...names);
    expectOrder(
      gone("Release", "gpu-operator", "autoscaler-release", "controller-release"),
      gone("NodeGroup", "system"),
    );
    expectOrder(gone("Addon", ...laterAddons), gone("NodeGroup", "system"));
    expectOrder(gone("NodeGroup"), gone("Addon", ...baseAddons));
    expectOrder(gone("NodeGroup"), [...gone("NatGateway"), ...gone("SecurityGroup", "firewall", "auxiliary")]);
    expectOrder(gone("Cluster", "eksCluster"), [...gone("LogGroup"), ...gone("Vpc", "vpc")]);
    expect(existing(shared.current)).toEqual([]);
  });
});
