import { beforeAll, describe, expect, test } from "vitest";
import { GpuEnvironment, type GpuEnvironmentArgs } from "../../components";
import { amiReleases, kubernetesVersion } from "../../components/core/versions";
import type { RecordedResource, Recording } from "../../planner/record/record";
import { unknownSentinel } from "../../components/core/wire";
import { byName, ofType, only, plan, reaches } from "../support/plan";
import { gpuNode, labAtRest } from "../support/prices";

const releaseVersion = amiReleases[kubernetesVersion];
const required = { publicAccessCidrs: ["203.0.113.7/32"], admins: ["arn:aws:iam::123456789012:role/team"] };
const pinned = Object.fromEntries(
  ["vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "metrics-server", "external-dns", "cert-manager"].map(
    (name) => [name, "v1.2.3-eksbuild.1"],
  ),
);

function environment(args: Partial<GpuEnvironmentArgs> = {}): Promise<Recording> {
  return plan(() => {
    const addons = {
      ...pinned,
      "kube-proxy": `v${kubernetesVersion}.3-eksbuild.29`,
      "eks-node-monitoring-agent": "v1.7.0-eksbuild.1",
    };
    return new GpuEnvironment("lab", { ...required, addons, ...args }).outputs;
  });
}

describe("the base environment", () => {
  let recording: Recording;
  beforeAll(async () => void (recording = await environment()));
  const nodeGroup = (name: string) =>
    ofType(recording, "aws:eks/nodeGroup:NodeGroup").find((resource) => resource.name === name) as RecordedResource;

  test("warns of nothing", () => expect(recording.diagnostics).toEqual([]));

  test("the GPU nodes are in one private subnet", () => {
    expect(nodeGroup("lab-gpu").inputs["subnetIds"]).toEqual([unknownSentinel]);
    expect(nodeGroup("lab-gpu").propertyDependencies["subnetIds"]).toContain(
      byName(recording, "lab-vpc-private-1").urn,
    );
  });

  test("no policy of a controller is on a node role, and the controllers have roles of their own", () => {
    const groups = ["GpuNodeGroup", "SystemNodeGroup"].map((name) => only(recording, `eks-gpu-lab:index:${name}`).urn);
    const nodePolicies = ofType(recording, "aws:iam/rolePolicyAttachment:RolePolicyAttachment")
      .filter(({ parent }) => groups.includes(parent ?? ""))
      .map(({ inputs }) => String(inputs["policyArn"]).split("/").pop());
    expect(new Set(nodePolicies)).toEqual(
      new Set([
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryReadOnly",
        "AmazonEKS_CNI_Policy",
        "AmazonSSMManagedInstanceCore",
      ]),
    );
    const identities = ofType(recording, "aws:eks/podIdentityAssociation:PodIdentityAssociation");
    expect(
      identities.map(({ inputs }) => `${String(inputs["namespace"])}/${String(inputs["serviceAccount"])}`).sort(),
    ).toEqual([
      "external-dns/external-dns",
      "kube-system/aws-load-balancer-controller",
      "kube-system/cluster-autoscaler",
    ]);
  });

  test("the endpoint is open to the stated addresses alone, and everyone comes through access entries", () => {
    expect(only(recording, "eks:index:Cluster").inputs["publicAccessCidrs"]).toEqual(required.publicAccessCidrs);
    expect(ofType(recording, "aws:eks/accessEntry:AccessEntry").map(({ inputs }) => inputs["principalArn"])).toEqual(
      required.admins,
    );
  });

  test("the pods of t3.medium nodes get addresses by prefix delegation", () => {
    const cni = recording.resources.find(
      ({ type, inputs }) => type === "aws:eks/addon:Addon" && inputs["addonName"] === "vpc-cni",
    );
    expect(JSON.parse(String(cni?.inputs["configurationValues"]))).toMatchObject({
      env: { ENABLE_PREFIX_DELEGATION: "true" },
    });
  });

  test("everything starts in the order it needs", () => {
    const addon = (name: string) =>
      recording.resources.find(
        ({ type, inputs }) => type === "aws:eks/addon:Addon" && inputs["addonName"] === name,
      ) as RecordedResource;
    const cluster = only(recording, "eks:index:Cluster").urn;
    const waitsFor = (first: string, then: string) =>
      expect(reaches(recording, then, first), `${then} after ${first}`).toBe(true);
    for (const name of ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]) {
      waitsFor(cluster, addon(name).urn);
      waitsFor(addon(name).urn, nodeGroup("lab-system").urn);
      waitsFor(addon(name).urn, nodeGroup("lab-gpu").urn);
    }
    for (const name of ["coredns", "metrics-server", "external-dns", "cert-manager", "eks-node-monitoring-agent"]) {
      waitsFor(nodeGroup("lab-system").urn, addon(name).urn);
    }
    const dns = ofType(recording, "aws:eks/podIdentityAssociation:PodIdentityAssociation").find(
      ({ inputs }) => inputs["namespace"] === "external-dns",
    );
    waitsFor(String(dns?.urn), addon("external-dns").urn);
    waitsFor(only(recording, "aws:cloudwatch/logGroup:LogGroup").urn, cluster);
    for (const route of ofType(recording, "aws:ec2/route:Route")) waitsFor(route.urn, nodeGroup("lab-system").urn);
  });

  test("exports the ten outputs of the Terraform original, and more", () => {
    expect(recording.outputs).toMatchObject({
      configureKubectl: "aws eks update-kubeconfig --region ap-northeast-2 --name myeks",
      clusterName: "myeks",
      clusterEndpoint: unknownSentinel,
      clusterSecurityGroupId: unknownSentinel,
      nodeSecurityGroupId: unknownSentinel,
      auxiliaryNodeSgId: unknownSentinel,
      gpuSubnetAz: "ap-northeast-2a",
      gpuSubnetId: unknownSentinel,
      amiAl2023Standard: unknownSentinel,
      amiAl2023Nvidia: unknownSentinel,
      gpuNodeGroupName: unknownSentinel,
      gpuAutoscalingGroupName: unknownSentinel,
      systemReleaseVersion: releaseVersion,
      gpuReleaseVersion: releaseVersion,
      costAtRest: `${labAtRest().toFixed(4)} USD per hour, ${(labAtRest() * 730).toFixed(2)} USD per month`,
      costPerGpuNode: `${gpuNode().toFixed(4)} USD per hour`,
    });
  });
});

describe("toggles", () => {
  test("the operator, when on, reads the DCGM server of the monitoring agent, and comes after the system nodes", async () => {
    const recording = await environment({ gpuOperator: { enabled: true } });
    const release = only(recording, "kubernetes:helm.sh/v3:Release");
    expect(release.inputs["values"]).toMatchObject({
      dcgm: { enabled: false },
      dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }] },
      operator: { nodeSelector: { tier: "primary" } },
    });
    expect(release.options.deletedWith).toBe(only(recording, "eks:index:Cluster").urn);
    const system = ofType(recording, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-system");
    expect(reaches(recording, release.urn, String(system?.urn))).toBe(true);
    for (const entry of ofType(recording, "aws:eks/accessEntry:AccessEntry")) {
      expect(reaches(recording, release.urn, entry.urn)).toBe(true);
    }
  });

  test("nccl: blocked takes two rules away and nothing else", async () => {
    const urns = (recording: Recording) => recording.resources.map(({ urn }) => urn).sort();
    const [open, blocked] = await Promise.all([environment(), environment({ nccl: "blocked" })]);
    const gone = urns(open).filter((urn) => !urns(blocked).includes(urn));
    expect(urns(blocked).filter((urn) => !urns(open).includes(urn))).toEqual([]);
    expect(gone.map((urn) => open.resources.find((resource) => resource.urn === urn)?.inputs)).toEqual([
      expect.objectContaining({ ipProtocol: "-1", cidrIpv4: "192.168.0.0/16" }),
      expect.objectContaining({ ipProtocol: "tcp", fromPort: 1025, toPort: 65535 }),
    ]);
  });

  test("an existing network is used and none is made", async () => {
    const existing = {
      vpcId: "vpc-0123456789abcdef0",
      cidrBlock: "10.0.0.0/16",
      zones: ["ap-northeast-2a", "ap-northeast-2c"],
      publicSubnetIds: [],
      privateSubnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    };
    const recording = await environment({ network: { existing }, gpuNodes: { azIndex: 1 } });
    expect(ofType(recording, "aws:ec2/vpc:Vpc")).toEqual([]);
    const gpu = ofType(recording, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-gpu");
    expect(gpu?.inputs["subnetIds"]).toEqual(["subnet-0123456789abcdef1"]);
    expect(recording.outputs).toMatchObject({
      gpuSubnetAz: "ap-northeast-2c",
      costAtRest: "0.2129 USD per hour, 155.39 USD per month",
    });
  });

  test("controllers are installed on demand, after the system nodes", async () => {
    const recording = await environment({
      controllers: { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } },
    });
    const charts = ofType(recording, "kubernetes:helm.sh/v3:Release").map(({ inputs }) => inputs["chart"]);
    expect(charts.sort()).toEqual(["aws-load-balancer-controller", "cluster-autoscaler"]);
    const system = ofType(recording, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-system");
    expect(system?.options.ignoreChanges).toEqual(["scalingConfig.desiredSize"]);
  });

  test("repair, taints and zone of the GPU nodes reach node group and agent", async () => {
    const recording = await environment({
      gpuHealth: { repair: { maxParallel: 1 } },
      gpuNodes: { azIndex: 2, taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }] },
    });
    const gpu = ofType(recording, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-gpu");
    expect(gpu?.inputs["nodeRepairConfig"]).toMatchObject({ enabled: true, maxParallelNodesRepairedCount: 1 });
    expect(recording.outputs["gpuSubnetAz"]).toBe("ap-northeast-2c");
    const agent = recording.resources.find(({ inputs }) => inputs["addonName"] === "eks-node-monitoring-agent");
    expect(String(agent?.inputs["configurationValues"])).toContain('"key":"team"');
  });
});
