import * as pulumi from "@pulumi/pulumi";
import { Vpc } from "@pulumi/aws/ec2";
import { beforeAll, describe, expect, test } from "vitest";
import { EksCluster } from "../../../components/cluster/eks-cluster";
import type { EksClusterArgs } from "../../../components/cluster/eks-cluster-schema";
import { secretsKeyPolicy } from "../../../components/cluster/secrets-key";
import { kubernetesVersion } from "../../../components/core/versions";
import type { RecordedResource, Recording, Cloud } from "../../../planner/record/record";
import { unknownSentinel } from "../../../components/core/wire";
import { offlineCloud } from "../../../planner/record/offline-cloud";
import { byName, ofType, only, plan, type PlanOptions } from "../../support/plan";

const admin = "arn:aws:iam::123456789012:role/lab/admin";
const stated: EksClusterArgs = {
  clusterName: "myeks",
  vpcId: "vpc-1",
  subnetIds: ["subnet-1", "subnet-2"],
  publicAccessCidrs: ["198.51.100.7/32"],
  admins: [admin],
};
const keyArn = "arn:aws:kms:ap-northeast-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";

/** What an EksCluster with these arguments registers, and what it gives to others. */
function planned(args: Partial<EksClusterArgs> = {}, options?: PlanOptions): Promise<Recording> {
  return plan(() => {
    const cluster = new EksCluster("cluster", { ...stated, ...args });
    const { clusterName, endpoint, kubeconfig, clusterSecurityGroupId, oidcProviderArn, oidcIssuer } = cluster;
    return { clusterName, endpoint, kubeconfig, clusterSecurityGroupId, oidcProviderArn, oidcIssuer };
  }, options);
}

const clusterOf = (recording: Recording) => only(recording, "eks:index:Cluster");
/** All but the stack itself. */
const made = (recording: Recording) => recording.resources.filter(({ type }) => type !== "pulumi:pulumi:Stack");
const names = (resources: readonly RecordedResource[]) => resources.map((resource) => resource.name);

/** A cloud in which the cluster is there already. */
function cloudWithCluster(): Cloud {
  const offline = offlineCloud("ap-northeast-2");
  const kubeconfig = {
    clusters: [{ name: "kubernetes", cluster: { server: "https://ABC.eks.amazonaws.com" } }],
    users: [{ name: "aws", user: { exec: { command: "aws", args: ["eks", "get-token"] } } }],
  };
  return {
    call: (token, args) => offline.call(token, args),
    outputsOf: ({ type }) => {
      if (type === "aws:iam/role:Role") return { arn: "arn:aws:iam::123456789012:role/myeks-cluster-1" };
      return type === "eks:index:Cluster"
        ? {
            kubeconfigJson: JSON.stringify(kubeconfig),
            clusterSecurityGroupId: "sg-1",
            oidcProviderArn: "arn:aws:iam::123456789012:oidc-provider/oidc",
            oidcIssuer: "oidc.eks.ap-northeast-2.amazonaws.com/id/ABC",
          }
        : {};
    },
  };
}

describe("by default", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await planned();
  });

  test("it makes exactly these resources", () => {
    expect(
      made(recording)
        .map(({ type, name }) => `${type} ${name}`)
        .sort(),
    ).toEqual([
      "aws:cloudwatch/logGroup:LogGroup cluster-logs",
      "aws:eks/accessEntry:AccessEntry cluster-admin-123456789012/role/lab/admin",
      "aws:eks/accessPolicyAssociation:AccessPolicyAssociation cluster-admin-123456789012/role/lab/admin-policy",
      "aws:iam/role:Role cluster-role",
      "aws:iam/rolePolicy:RolePolicy cluster-secrets-key-use",
      "aws:iam/rolePolicyAttachment:RolePolicyAttachment cluster-role-cluster-policy",
      "aws:kms/alias:Alias cluster-secrets-key-alias",
      "aws:kms/key:Key cluster-secrets-key",
      "eks-gpu-lab:index:EksCluster cluster",
      "eks:index:Cluster cluster",
      "pulumi:providers:kubernetes cluster-k8s",
    ]);
  });

  test("the control plane is made of exactly these arguments", () => {
    expect(clusterOf(recording).inputs).toEqual({
      name: "myeks",
      version: kubernetesVersion,
      providerCredentialOpts: {},
      vpcId: "vpc-1",
      privateSubnetIds: ["subnet-1", "subnet-2"],
      endpointPrivateAccess: true,
      endpointPublicAccess: true,
      publicAccessCidrs: ["198.51.100.7/32"],
      authenticationMode: "API",
      serviceRole: byName(recording, "cluster-role").urn,
      encryptionConfigKeyArn: unknownSentinel,
      enabledClusterLogTypes: ["api", "audit", "scheduler"],
      upgradePolicy: { supportType: "STANDARD" },
      deletionProtection: false,
      createOidcProvider: true,
      skipDefaultNodeGroup: true,
      skipDefaultSecurityGroups: true,
      createInstanceRole: false,
      bootstrapSelfManagedAddons: false,
      useDefaultVpcCni: true,
      corednsAddonOptions: expect.objectContaining({ enabled: false }) as object,
      kubeProxyAddonOptions: expect.objectContaining({ enabled: false }) as object,
      tags: { Name: "myeks" },
    });
  });

  test("the log group, the role with all its rights and the key are there before the control plane", () => {
    const before = recording.resources.filter(({ urn }) => clusterOf(recording).dependencies.includes(urn));
    expect(names(before).sort()).toEqual([
      "cluster-logs",
      "cluster-role",
      "cluster-role-cluster-policy",
      "cluster-secrets-key",
      "cluster-secrets-key-alias",
      "cluster-secrets-key-use",
    ]);
  });

  test("the logs expire after a week", () => {
    expect(byName(recording, "cluster-logs").inputs).toEqual({
      name: "/aws/eks/myeks/cluster",
      retentionInDays: 7,
      tags: { Name: "/aws/eks/myeks/cluster" },
    });
  });

  test("the role is EKS's alone, and its name leaves room for another cluster in the account", () => {
    expect(byName(recording, "cluster-role").inputs).toEqual({
      namePrefix: "myeks-cluster-",
      description: "Control plane of the EKS cluster myeks",
      assumeRolePolicy: JSON.stringify({
        Version: "2012-10-17",
        Statement: [
          {
            Sid: "EKSClusterAssumeRole",
            Effect: "Allow",
            Principal: { Service: "eks.amazonaws.com" },
            Action: ["sts:AssumeRole", "sts:TagSession"],
          },
        ],
      }),
      forceDetachPolicies: true,
      tags: { Name: "myeks-cluster" },
    });
    expect(byName(recording, "cluster-role-cluster-policy").inputs).toEqual({
      role: unknownSentinel,
      policyArn: "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
    });
  });

  test("the key rotates, has an alias, and is gone a week after the cluster", () => {
    expect(byName(recording, "cluster-secrets-key").inputs).toEqual({
      description: "Kubernetes Secrets of the EKS cluster myeks",
      enableKeyRotation: true,
      deletionWindowInDays: 7,
      policy: unknownSentinel,
      tags: { Name: "myeks" },
    });
    expect(byName(recording, "cluster-secrets-key-alias").inputs).toEqual({
      name: "alias/eks/myeks",
      targetKeyId: unknownSentinel,
    });
  });

  test("an admin gets an entry and the policy for the whole cluster, after the cluster and in this order", () => {
    const entry = only(recording, "aws:eks/accessEntry:AccessEntry");
    const policy = only(recording, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation");
    expect(entry.inputs).toEqual({
      clusterName: "myeks",
      principalArn: admin,
      type: "STANDARD",
      tags: { Name: "cluster-admin-123456789012/role/lab/admin" },
    });
    expect(policy.inputs).toEqual({
      clusterName: "myeks",
      principalArn: admin,
      policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
      accessScope: { type: "cluster" },
    });
    expect(entry.dependencies).toEqual([clusterOf(recording).urn]);
    expect(policy.dependencies).toEqual([entry.urn, clusterOf(recording).urn]);
  });

  test("the Kubernetes provider keeps its identity while the kubeconfig is unknown", () => {
    const provider = byName(recording, "cluster-k8s");
    expect(provider.inputs).toEqual({ kubeconfig: unknownSentinel, clusterIdentifier: "myeks" });
  });

  test("all are children of the component, whose resolved arguments reach the engine without functions", async () => {
    const recording = await planned({ transform: { role: { path: "/labs/" } } });
    const component = only(recording, "eks-gpu-lab:index:EksCluster");
    expect(component.inputs).toEqual({
      ...stated,
      kubernetesVersion,
      controlPlaneLogs: ["api", "audit", "scheduler"],
      logRetentionDays: 7,
      secretsKey: "own",
      deletionProtection: false,
      tags: {},
    });
    const children = recording.resources.filter((resource) => resource.parent === component.urn);
    expect(children).toHaveLength(made(recording).length - 1);
  });
});

describe("what it gives to others", () => {
  test("the name is known in a plan, all else of the cluster is not", async () => {
    expect((await planned()).outputs).toEqual({
      clusterName: "myeks",
      endpoint: unknownSentinel,
      kubeconfig: unknownSentinel,
      clusterSecurityGroupId: unknownSentinel,
      oidcProviderArn: unknownSentinel,
      oidcIssuer: unknownSentinel,
    });
  });

  test("what gets the name waits for the cluster", async () => {
    const recording = await plan(() => {
      const { clusterName } = new EksCluster("cluster", stated);
      new Vpc("user", { tags: { cluster: clusterName } });
    });
    expect(byName(recording, "user").dependencies).toEqual([clusterOf(recording).urn]);
  });

  test("endpoint, group and identity provider come from the cluster, and only the kubeconfig is secret", async () => {
    const recording = await planned({}, { cloud: cloudWithCluster() });
    expect(recording.secretOutputs).toEqual(["kubeconfig"]);
    expect(byName(recording, "cluster-k8s").secretPaths).toEqual(["kubeconfig"]);
    expect(recording.outputs).toMatchObject({
      endpoint: "https://ABC.eks.amazonaws.com",
      clusterSecurityGroupId: "sg-1",
      oidcProviderArn: "arn:aws:iam::123456789012:oidc-provider/oidc",
      oidcIssuer: "oidc.eks.ap-northeast-2.amazonaws.com/id/ABC",
    });
  });

  test("a profile is in the provider's kubeconfig and not in the one that is passed on", async () => {
    const credentials = { profile: "lab", roleArn: "arn:aws:iam::123456789012:role/deployer" };
    const recording = await planned({ credentials }, { cloud: cloudWithCluster() });
    expect(byName(recording, "cluster-k8s").inputs["kubeconfig"]).toContain('["eks","get-token","--profile","lab"]');
    expect(recording.outputs["kubeconfig"]).not.toContain("--profile");
    expect(clusterOf(recording).inputs["providerCredentialOpts"]).toEqual({
      profileName: "lab",
      roleArn: "arn:aws:iam::123456789012:role/deployer",
    });
  });

  test("without credentials the profile of the AWS provider is meant, and every kubeconfig is secret", async () => {
    const cloud = cloudWithCluster();
    const recording = await planned({}, { cloud, config: { "aws:profile": "lab" } });
    expect(clusterOf(recording).inputs["providerCredentialOpts"]).toEqual({ profileName: "lab" });
    expect(clusterOf(recording).secretPaths).toEqual(["providerCredentialOpts"]);
    expect(byName(recording, "cluster-k8s").inputs["kubeconfig"]).toContain('"--profile","lab"');
  });

  test("the entries and the key are there to depend on", async () => {
    let cluster: EksCluster | undefined;
    await plan(() => {
      cluster = new EksCluster("cluster", stated);
    });
    expect(cluster?.accessEntries).toHaveLength(2);
    expect(pulumi.Output.isInstance(cluster?.secretsKeyArn)).toBe(true);
  });
});

test("the key's policy names the account and the cluster's role", async () => {
  const recording = await planned({}, { cloud: cloudWithCluster() });
  expect(JSON.parse(byName(recording, "cluster-secrets-key").inputs["policy"] as string)).toEqual(
    secretsKeyPolicy("arn:aws:iam::123456789012:root", "arn:aws:iam::123456789012:role/myeks-cluster-1"),
  );
});

describe("other choices", () => {
  test("an existing key gets no key, no alias, and the right to use it", async () => {
    const recording = await planned({ secretsKey: keyArn });
    expect(names(ofType(recording, "aws:kms/key:Key"))).toEqual([]);
    expect(names(ofType(recording, "aws:kms/alias:Alias"))).toEqual([]);
    expect(JSON.parse(byName(recording, "cluster-secrets-key-use").inputs["policy"] as string)).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "UseSecretsKey",
          Effect: "Allow",
          Action: ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"],
          Resource: keyArn,
        },
      ],
    });
    expect(clusterOf(recording).inputs["encryptionConfigKeyArn"]).toBe(keyArn);
    expect(clusterOf(recording).dependencies).toContain(byName(recording, "cluster-secrets-key-use").urn);
  });

  test("no key is no key at all", async () => {
    const recording = await planned({ secretsKey: "none" });
    expect(recording.resources.filter(({ type }) => type.startsWith("aws:kms"))).toEqual([]);
    expect(ofType(recording, "aws:iam/rolePolicy:RolePolicy")).toEqual([]);
    expect(clusterOf(recording).inputs).not.toHaveProperty("encryptionConfigKeyArn");
  });

  test("no logs are no log group", async () => {
    const recording = await planned({ controlPlaneLogs: [] });
    expect(ofType(recording, "aws:cloudwatch/logGroup:LogGroup")).toEqual([]);
    expect(clusterOf(recording).inputs["enabledClusterLogTypes"]).toEqual([]);
  });

  test("no admins are no entries", async () => {
    expect(ofType(await planned({ admins: [] }), "aws:eks/accessEntry:AccessEntry")).toEqual([]);
  });

  test("admins keep their entries when the list is put in another order", async () => {
    const admins = [admin, "arn:aws:iam::123456789012:user/alice", "arn:aws:iam::210987654321:role/lab/admin"];
    const entries = async (list: string[]) =>
      names(ofType(await planned({ admins: list }), "aws:eks/accessEntry:AccessEntry"));
    expect((await entries(admins)).sort()).toEqual((await entries(admins.toReversed())).sort());
    expect(await entries(admins)).toHaveLength(3);
  });

  test("in China the policies are China's", async () => {
    const recording = await planned({}, { region: "cn-north-1" });
    expect(byName(recording, "cluster-role-cluster-policy").inputs["policyArn"]).toBe(
      "arn:aws-cn:iam::aws:policy/AmazonEKSClusterPolicy",
    );
    expect(only(recording, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation").inputs["policyArn"]).toBe(
      "arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    );
  });
});

describe("with EKS Auto Mode", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await planned({ autoMode: true });
  });

  test("only these resources are additional", async () => {
    const others = names(made(await planned()));
    const added = names(made(recording)).filter((name) => !others.includes(name));
    expect(added.sort()).toEqual([
      "cluster-auto-nodes-access",
      "cluster-auto-nodes-access-policy",
      "cluster-auto-nodes-role",
      "cluster-auto-nodes-role-registry",
      "cluster-auto-nodes-role-worker",
      "cluster-role-block-storage-policy",
      "cluster-role-compute-policy",
      "cluster-role-load-balancing-policy",
      "cluster-role-networking-policy",
      "cluster-role-tags",
    ]);
  });

  test("the component enables it without a built-in NodePool, and so without a node role of the cluster", () => {
    expect(clusterOf(recording).inputs).toMatchObject({
      autoMode: { enabled: true, createNodeRole: false, computeConfig: { nodePools: [] } },
      bootstrapSelfManagedAddons: false,
      authenticationMode: "API",
    });
  });

  test("the role has the five policies before EKS uses it", () => {
    const before = recording.resources.filter(({ urn }) => clusterOf(recording).dependencies.includes(urn));
    const arns = before.flatMap(({ inputs }) => inputs["policyArn"] ?? []);
    const policies = ["Cluster", "Compute", "BlockStorage", "LoadBalancing", "Networking"];
    expect(arns).toEqual(policies.map((name) => `arn:aws:iam::aws:policy/AmazonEKS${name}Policy`));
    expect(names(before)).toContain("cluster-role-tags");
  });

  test("it may tag only what it creates for this cluster", () => {
    const policy = JSON.parse(byName(recording, "cluster-role-tags").inputs["policy"] as string) as {
      Statement: { Action: string[]; Condition: object }[];
    };
    expect(policy.Statement.flatMap(({ Action }) => Action)).toEqual([
      ...["ec2:CreateFleet", "ec2:RunInstances", "ec2:CreateLaunchTemplate", "ec2:CreateNetworkInterface"],
    ]);
    for (const { Condition } of policy.Statement) {
      expect(Condition).toMatchObject({
        StringEquals: { "aws:RequestTag/eks:eks-cluster-name": "${aws:PrincipalTag/eks:eks-cluster-name}" },
      });
    }
  });

  test("its nodes join with the least rights", () => {
    const arnsOf = (part: string) => byName(recording, `cluster-auto-nodes-${part}`).inputs["policyArn"];
    expect(arnsOf("role-worker")).toBe("arn:aws:iam::aws:policy/AmazonEKSWorkerNodeMinimalPolicy");
    expect(arnsOf("role-registry")).toBe("arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly");
    expect(byName(recording, "cluster-auto-nodes-access").inputs).toMatchObject({ type: "EC2" });
    expect(byName(recording, "cluster-auto-nodes-access-policy").inputs).toMatchObject({
      policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSAutoNodePolicy",
      accessScope: { type: "cluster" },
    });
  });
});
