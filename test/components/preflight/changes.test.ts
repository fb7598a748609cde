import { nameTag, stackTag } from "../../../components/core/stack-tags";
import { describe, expect, test } from "vitest";
import { renderProblem, type Problem } from "../../../components/core/problems";
import { environmentSettings } from "../../../components/environment/gpu-environment-plan";
import type { GpuEnvironmentArgs } from "../../../components/environment/gpu-environment-schema";
import { userData } from "../../../components/nodes/machine/user-data";
import { preflightProblems, preflightWarnings } from "../../../components/preflight/preflight-checks";
import { preflightRequest } from "../../../components/preflight/preflight-request";
import type { PreflightFacts } from "../../../components/preflight/preflight-facts";
import type {
  ChangeOptions,
  GpuSession,
  RunningEnvironment,
  RunningGpuNodes,
  RunningNetwork,
  RunningTemplate,
} from "../../../components/preflight/running-environment";

const required: GpuEnvironmentArgs = { publicAccessCidrs: ["198.51.100.7/32"] };
const regionZones = ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"];
const zones = regionZones.slice(0, 3);
const ownKey = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";
const otherKey = "arn:aws:kms:us-east-1:123456789012:key/fedcba98-89ab-cdef-0123-456789abcdef";
const { gpuNodes } = environmentSettings(required);
const settings = environmentSettings(required);

/** The environment that the default arguments create. */
const network: RunningNetwork = {
  vpcId: "vpc-0123456789abcdef0",
  cidr: "192.168.0.0/16",
  name: "myeks-VPC",
  subnets: zones.flatMap((zone, index) => [
    { id: `subnet-1123456789abcdef${index}`, zone, cidr: `192.168.${4 * index}.0/22`, kind: "public" },
    { id: `subnet-0123456789abcdef${index}`, zone, cidr: `192.168.${12 + 4 * index}.0/22`, kind: "private" },
  ]),
};
const template: RunningTemplate = {
  diskSizeGiB: 100,
  userData: userData(gpuNodes) ?? "",
  efa: false,
  // The last two are those of the stack.
  tags: { Name: "myeks-gpu", [stackTag]: "me/eks-gpu-lab/gpu-lab", [nameTag]: "gpu-lab-gpu-launch-template" },
};
const nodes: RunningGpuNodes = {
  group: "myeks-gpu-1",
  desiredSize: 2,
  minSize: 0,
  maxSize: 2,
  instanceType: "g5.xlarge",
  amiType: "AL2023_x86_64_NVIDIA",
  capacityType: "ON_DEMAND",
  kubernetesVersion: settings.kubernetesVersion,
  releaseVersion: gpuNodes.releaseVersion,
  subnetId: "subnet-0123456789abcdef0",
  template,
};
const running: RunningEnvironment = {
  clusterName: "myeks",
  network,
  secretsKey: { arn: ownKey, isOwn: true },
  gpuNodes: nodes,
};
const session: GpuSession = {
  nodes: ["ip-1", "ip-2"],
  pods: [{ namespace: "team", name: "train-0", node: "ip-1", gpus: 1 }],
};
const inSession: RunningEnvironment = { ...running, gpuNodes: { ...nodes, session } };

interface Case extends ChangeOptions {
  readonly args?: Partial<GpuEnvironmentArgs>;
  readonly now?: RunningEnvironment | undefined;
}

function judged({ args = {}, now = running, ...options }: Case): [Problem[], string[]] {
  const request = preflightRequest({ ...required, ...args }, options);
  const facts: PreflightFacts = { zones: regionZones, region: "us-east-1", clusterNames: ["myeks"], running: now };
  expect(request).toBeDefined();
  return [preflightProblems(request, facts), preflightWarnings(request, facts)];
}

function pathsOf(one: Case): string[] {
  return judged(one)[0].map(({ path }) => path);
}

test("an environment that does not change has no problem and no warning, also in a session", () => {
  expect(judged({})).toEqual([[], []]);
  expect(judged({ now: inSession })).toEqual([[], []]);
});

test("a first deployment, and parts that could not be read, have no problem", () => {
  const args = { network: { cidr: "10.0.0.0/16" }, secretsKey: "none", gpuNodes: { diskSizeGiB: 200 } } as const;
  expect(pathsOf({ args, now: { clusterName: "myeks" } })).toEqual([]);
  const request = preflightRequest({ ...required, ...args });
  expect(preflightProblems(request, { clusterNames: [] })).toEqual([]);
  expect(preflightProblems(request, {})).toEqual([]);
});

const own = { ...network, name: "myeks-VPC" };
const shared: RunningNetwork = { ...network, name: "company" };
const existing = {
  vpcId: "vpc-0123456789abcdef0",
  cidrBlock: "192.168.0.0/16",
  zones,
  publicSubnetIds: [],
  privateSubnetIds: zones.map((_, index) => `subnet-0123456789abcdef${index}`),
};
const privateSubnetCidrs = ["192.168.12.0/22", "192.168.16.0/22", "192.168.20.0/22"];
const publicSubnetCidrs = ["192.168.0.0/22", "192.168.4.0/22", "192.168.8.0/22"];

describe("a change that the cluster cannot take", () => {
  const cases: readonly (readonly [string, Case, readonly string[]])[] = [
    ["another block", { args: { network: { cidr: "10.0.0.0/16" } } }, ["network.cidr"]],
    ["another name", { args: { clusterName: "lab2" }, formerClusterName: "myeks" }, ["clusterName"]],
    ["the zones as they are", { args: { network: { zones } } }, []],
    ["a zone less", { args: { network: { zones: zones.slice(0, 2) } } }, ["network.zones"]],
    ["a zone more", { args: { network: { zones: regionZones } } }, ["network.zones"]],
    ["another order", { args: { network: { zones: [...zones].reverse() } } }, ["network.zones"]],
    ["the blocks as they are", { args: { network: { privateSubnetCidrs, publicSubnetCidrs } } }, []],
    [
      "other public blocks",
      {
        args: {
          network: { privateSubnetCidrs, publicSubnetCidrs: ["192.168.32.0/22", ...publicSubnetCidrs.slice(1)] },
        },
      },
      ["network.publicSubnetCidrs"],
    ],
    [
      "other private blocks",
      {
        args: {
          network: { publicSubnetCidrs, privateSubnetCidrs: ["192.168.32.0/22", ...privateSubnetCidrs.slice(1)] },
        },
      },
      ["network.privateSubnetCidrs"],
    ],
    [
      "an existing VPC",
      { args: { network: { existing: { ...existing, vpcId: "vpc-0123456789abcdef2" } } } },
      ["network.existing.vpcId"],
    ],
    ["the same existing VPC", { args: { network: { existing } }, now: { ...running, network: shared } }, []],
    [
      "another zone of an existing VPC",
      { args: { network: { existing: { ...existing, zones: [...zones.slice(0, 2), "us-east-1d"] } } } },
      ["network.existing.zones"],
    ],
    [
      "a VPC of its own instead of an existing one",
      { args: {}, now: { ...running, network: { ...shared, cidr: "10.0.0.0/16" } } },
      ["network.existing"],
    ],
    ["no key any more", { args: { secretsKey: "none" } }, ["secretsKey"]],
    ["another key", { args: { secretsKey: otherKey } }, ["secretsKey"]],
    ["the own key by its ARN", { args: { secretsKey: ownKey } }, []],
    ["an own key after another", { now: { ...running, secretsKey: { arn: otherKey, isOwn: false } } }, ["secretsKey"]],
    ["a first key", { now: { ...running, secretsKey: { isOwn: false } } }, []],
  ];

  test.for(cases)("%s", ([, one, paths]) => {
    expect(pathsOf(one)).toEqual(paths);
  });

  test.for(cases.filter(([, , paths]) => paths.length > 0))("confirmed: %s", ([, one]) => {
    const [problems, warnings] = judged({ ...one, confirm: { replaceCluster: "myeks" } });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("You confirmed it.")]);
  });

  test("a subnet of the environment's own VPC in a transform is not compared with a name", () => {
    const args: Partial<GpuEnvironmentArgs> = { network: { cidr: "10.0.0.0/16" }, transform: { network: { vpc: {} } } };
    expect(pathsOf({ args, now: { ...running, network: { ...own, name: "mine" } } })).toEqual(["network.cidr"]);
  });

  test("all changes are reported, and the session and the ways out once", () => {
    const gpuNodes = { diskSizeGiB: 200, instanceType: "g6.xlarge" };
    const args = { clusterName: "lab2", network: { cidr: "10.0.0.0/16" }, secretsKey: "none", gpuNodes } as const;
    const [problems] = judged({ args, formerClusterName: "myeks", now: inSession });
    const paths = ["clusterName", "network.cidr", "secretsKey", "gpuNodes.instanceType"];
    expect(problems.map(({ path }) => path)).toEqual(paths);
    expect(problems.map(({ why }) => why.includes("team/train-0"))).toEqual([true, false, false, false]);
    expect(problems.map(({ fix }) => fix.includes("pulumi destroy"))).toEqual([true, false, false, false]);
    expect(problems[1]?.fix).toBe("set network.cidr to 192.168.0.0/16; or another way out of clusterName");
  });

  test("another name is no change of the nodes' tags", () => {
    const one = { args: { clusterName: "lab2" }, formerClusterName: "myeks", now: inSession };
    expect(pathsOf(one)).toEqual(["clusterName"]);
  });

  test("the wording", () => {
    const problems = cases.flatMap(([, one]) => judged(one)[0]);
    expect(problems.map((problem) => `${renderProblem(problem)}\n`).join("")).toMatchSnapshot();
  });
});

describe("a change that ends GPU nodes", () => {
  const rolls: readonly (readonly [string, Partial<GpuEnvironmentArgs>])[] = [
    ["gpuNodes.instanceType", { gpuNodes: { instanceType: "g6.xlarge" } }],
    ["gpuNodes.capacityType", { gpuNodes: { capacityType: "SPOT" } }],
    ["gpuNodes.provisioner", { gpuNodes: { provisioner: "karpenter" } }],
    ["gpuNodes.provisioner", { gpuNodes: { provisioner: "autoMode" } }],
    ["gpuNodes.azIndex", { gpuNodes: { azIndex: 1 } }],
    ["gpuNodes.releaseVersion", { gpuNodes: { releaseVersion: `${settings.kubernetesVersion}.99-20301231` } }],
    ["gpuNodes.diskSizeGiB", { gpuNodes: { diskSizeGiB: 200 } }],
    ["gpuNodes.placementGroup", { gpuNodes: { placementGroup: "close" } }],
    ["gpuNodes.capacityReservation", { gpuNodes: { capacityReservation: { id: "cr-0123456789abcdef0" } } }],
    ["gpuNodes.maxPods", { gpuNodes: { maxPods: 60 } }],
    ["gpuNodes.localStorage", { gpuNodes: { localStorage: "raid0" } }],
    ["gpuNodes.tools", { gpuNodes: { tools: ["htop"] } }],
    ["tags.team", { tags: { team: "a" } }],
    ["lease.lab", { lease: { lab: "x" } }],
  ];

  test.for(rolls)("%s", ([path, args]) => {
    expect(pathsOf({ args })).toEqual([]);
    const [[problem, ...more]] = judged({ args, now: inSession });
    expect(more).toEqual([]);
    expect(problem?.path).toBe(path);
    expect(pathsOf({ args, now: inSession, confirm: { endSession: "myeks-gpu-1" } })).toEqual([]);
    expect(pathsOf({ args, now: inSession, confirm: { endSession: "myeks-gpu-0" } })).toEqual([
      "confirm.endSession",
      path,
    ]);
    // A failed update ended the session; the next one makes the same change.
    expect(pathsOf({ args, confirm: { endSession: "myeks-gpu-1" } })).toEqual([]);
  });

  test.for([
    ["sizes", { gpuNodes: { maxSize: 3 } }],
    ["labels", { gpuNodes: { labels: { team: "a" } } }],
    ["taints", { gpuNodes: { taints: [{ key: "team", value: "a", effect: "NO_SCHEDULE" }] } }],
    ["the end of the lease", { lease: { enabled: false } }],
    ["repair", { gpuHealth: { repair: { maxUnhealthy: 1 } } }],
  ] as const)("%s change in place", ([, args]) => {
    expect(pathsOf({ args, now: inSession })).toEqual([]);
  });

  const args = { gpuNodes: { diskSizeGiB: 200 } };
  const withSession = (found: GpuSession): RunningEnvironment => ({
    ...running,
    gpuNodes: { ...nodes, session: found },
  });

  test.each([
    ["the same name", "me/eks-gpu-lab/gpu-lab", template.tags, []],
    ["another name", "me/eks-gpu-lab/team-a", template.tags, ["run pulumi stack rename me/eks-gpu-lab/gpu-lab"]],
    ["nodes without the tag", "me/eks-gpu-lab/gpu-lab", { Name: "myeks-gpu" }, ["keep the older version"]],
  ])("of the stack: %s", (_, stackTag, tags, ways) => {
    const gpuNodes = { ...nodes, session, template: { ...template, tags } };
    const [problems] = judged({ stackTag, now: { ...running, gpuNodes } });
    expect(problems.map(({ path, fix }) => [path, fix?.split("; or ")[1]])).toEqual(ways.map((way) => ["stack", way]));
  });

  test("a stack ends its session with gpu down, which removes the end of the session, too", () => {
    const endOf = (stackTag?: string) =>
      judged({ args, now: inSession, ...(stackTag !== undefined && { stackTag }) })[0][0]?.fix?.split("; or ")[0];
    expect(endOf("me/eks-gpu-lab/gpu-lab")).toBe("end the session first: npx eks-gpu-lab gpu down --stack gpu-lab");
    expect(endOf()).toContain("end the session first: aws eks update-nodegroup-config --region us-east-1");
  });

  test("idle nodes are a warning", () => {
    const [problems, warnings] = judged({ args, now: withSession({ nodes: ["ip-1"], pods: [] }) });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("1 GPU node would be terminated: ip-1.")]);
  });

  test("nodes whose pods cannot be read count as a session", () => {
    expect(pathsOf({ args, now: withSession({ nodes: ["i-1"], unreadable: "timeout" }) })).toEqual([
      "gpuNodes.diskSizeGiB",
    ]);
  });

  test("nodes that cannot be read count as a session", () => {
    const [[problem]] = judged({ args, now: withSession({ nodes: [], unreadable: "timeout" }) });
    expect(problem?.why).toContain("The running GPU nodes would be terminated.");
  });

  test("values of a transform are not compared", () => {
    const transform = { gpuNodes: { launchTemplate: {}, nodeGroup: {} } };
    const changed = { gpuNodes: { diskSizeGiB: 200, instanceType: "g6.xlarge", azIndex: 1 }, transform };
    expect(pathsOf({ args: changed, now: inSession })).toEqual([]);
  });

  test("the wording", () => {
    const cases: Case[] = [
      { args: { gpuNodes: { instanceType: "g6.xlarge", diskSizeGiB: 200 } }, now: inSession },
      { args, now: withSession({ nodes: ["i-1"], unreadable: "The API server k8s cannot be reached: timeout" }) },
    ];
    const problems = cases.flatMap((one) => judged(one)[0]);
    expect(problems.map((problem) => `${renderProblem(problem)}\n`).join("")).toMatchSnapshot();
    expect(judged({ args, now: withSession({ nodes: ["ip-1"], pods: [] }) })[1].join("\n")).toMatchSnapshot();
  });
});

describe("an AMI release that AWS does not publish any more", () => {
  const [system, gpu] = preflightRequest(required)?.images ?? [];
  const images = { [system?.name ?? ""]: { exists: false }, [gpu?.name ?? ""]: { exists: false } };
  const both = {
    ...running,
    systemNodes: {
      group: "myeks-system-1",
      kubernetesVersion: "1.35",
      instanceType: "t3.medium",
      releaseVersion: gpuNodes.releaseVersion,
    },
  };
  const keys = ["systemNodes.releaseVersion", "gpuNodes.releaseVersion"];
  const of = (args: Partial<GpuEnvironmentArgs>, now: RunningEnvironment | undefined) => {
    const facts: PreflightFacts = { zones: regionZones, clusterNames: ["myeks"], images, ...(now && { running: now }) };
    const request = preflightRequest({ ...required, ...args });
    return [preflightProblems(request, facts).map(({ path }) => path), preflightWarnings(request, facts)] as const;
  };

  test("is refused for new node groups", () => {
    expect(of({}, undefined)).toEqual([keys, []]);
  });

  test("is a warning while running groups have it", () => {
    const [problems, warnings] = of({}, both);
    expect([problems, warnings.map((text) => text.split(": ")[0])]).toEqual([[], keys]);
    expect(warnings[0]).toMatch(
      /^systemNodes.releaseVersion: the running node group keeps 1\.\S+, but a new node group could/,
    );
  });

  test.each([
    ["another system instance type", { systemNodes: { instanceType: "t3.large" } }, both, [keys[0]]],
    ["another GPU instance type", { gpuNodes: { instanceType: "g5.2xlarge" } }, both, [keys[1]]],
    ["groups with another release", {}, { ...both, gpuNodes: { ...nodes, releaseVersion: "1.0.0-1" } }, [keys[1]]],
    ["a system group that could not be read", {}, running, [keys[0]]],
  ])("is refused with %s", (_, args, now, expected) => {
    expect(of(args, now)[0]).toEqual(expected);
  });
});

describe("a confirmation", () => {
  test("that is not needed is a problem", () => {
    expect(pathsOf({ confirm: { replaceCluster: "myeks", endSession: "myeks-gpu-1" }, now: inSession })).toEqual([
      "confirm.replaceCluster",
      "confirm.endSession",
    ]);
  });

  test("of another cluster is a problem, in addition to the change", () => {
    const args = { secretsKey: "none" } as const;
    expect(pathsOf({ args, confirm: { replaceCluster: "lab2" } })).toEqual(["confirm.replaceCluster", "secretsKey"]);
  });

  test.for([
    [{ endSession: "zzz" }, ["network.cidr", "confirm.endSession", "gpuNodes.diskSizeGiB"]],
    [{ endSession: "myeks-gpu-1" }, ["network.cidr"]],
    [{ replaceCluster: "myeks" }, []],
    [{ replaceCluster: "myeks", endSession: "myeks-gpu-1" }, []],
    [{ replaceCluster: "myeks", endSession: "zzz" }, ["confirm.endSession"]],
    [
      { replaceCluster: "lab2", endSession: "zzz" },
      ["confirm.replaceCluster", "network.cidr", "confirm.endSession", "gpuNodes.diskSizeGiB"],
    ],
  ] as const)("of the session, when the cluster changes, too: %j", ([confirm, paths]) => {
    const args = { network: { cidr: "10.0.0.0/16" }, gpuNodes: { diskSizeGiB: 200 } };
    expect(pathsOf({ args, now: inSession, confirm })).toEqual(paths);
  });

  test("is judged only where the clusters are known", () => {
    const request = preflightRequest(required, { confirm: { replaceCluster: "myeks" } });
    expect(preflightProblems(request, {})).toEqual([]);
    expect(preflightProblems(request, { clusterNames: [] }).map(({ path }) => path)).toEqual([
      "confirm.replaceCluster",
    ]);
  });

  test("the wording", () => {
    const [problems] = judged({ confirm: { replaceCluster: "myeks" } });
    const [wrong] = judged({ args: { secretsKey: "none" }, confirm: { replaceCluster: "lab2" } });
    expect([...problems, ...wrong.slice(0, 1)].map((problem) => renderProblem(problem)).join("\n")).toMatchSnapshot();
  });
});

test("Auto Mode that no program uses is a warning with the command that disables it", () => {
  const now: RunningEnvironment = { ...running, autoMode: true };
  const [problems, warnings] = judged({ now });
  const options =
    '--compute-config enabled=false --kubernetes-network-config \'{"elasticLoadBalancing":{"enabled":false}}\' ' +
    `--storage-config '{"blockStorage":{"enabled":false}}'`;
  expect([problems, warnings]).toEqual([
    [],
    [
      "EKS Auto Mode is enabled in myeks, and gpuNodes.provisioner is managedNodeGroup. An update does not disable it. Once " +
        `no NodePool of Auto Mode is left, run aws eks update-cluster-config --name myeks --region us-east-1 ${options}`,
    ],
  ]);
  const inUse = { gpuNodes: { provisioner: "autoMode" }, gpuOperator: { enabled: false } } as const;
  expect(judged({ now, args: inUse })[1]).not.toEqual(warnings);
  expect(judged({ now, args: { transform: { cluster: { cluster: (args) => args } } } })[1]).toEqual([]);
});

test("a second VPC of the same name is a warning", () => {
  const [, warnings] = judged({ now: { ...running, network: { ...network, twins: ["vpc-0123456789abcdef2"] } } });
  expect(warnings).toEqual([expect.stringContaining("vpc-0123456789abcdef2 has the same name, myeks-VPC")]);
});

describe("the cluster of the last update", () => {
  const place = { formerClusterName: "myeks", formerAccount: "111111111111", formerRegion: "us-east-1" };
  const here: PreflightFacts = { account: "111111111111", region: "us-east-1", clusterNames: ["myeks"] };
  const found = (facts: Partial<PreflightFacts>, options: ChangeOptions = place) => {
    const request = preflightRequest(required, options);
    // A quota of another account is no problem of this environment.
    const all: PreflightFacts = { ...here, quotaVcpus: 0, ...facts };
    return { problems: preflightProblems(request, all), warnings: preflightWarnings(request, all) };
  };
  const paths = (...args: Parameters<typeof found>) => found(...args).problems.map(({ path }) => path);
  const other = { account: "222222222222", region: "eu-west-1", clusterNames: [] };

  test("is where it was", () => {
    expect(paths({})).toEqual(["gpuNodes.maxSize"]);
  });

  test.for([
    ["another account, also without its clusters", { account: "222222222222" }, ["the AWS account"]],
    ["another region", { region: "eu-west-1" }, ["aws:region"]],
    ["both", other, ["the AWS account", "aws:region"]],
    ["neither is known, and it is not listed", { clusterNames: ["x"] }, ["the cluster of this stack"]],
  ] as const)("%s", ([, facts, expected]) => {
    expect(paths(facts)).toEqual(expected);
    const given = found(facts, { ...place, confirm: { replaceCluster: "myeks" } });
    expect(given.problems.map(({ path }) => path)).toEqual(["gpuNodes.maxSize"]);
    expect(given.warnings.filter((text) => text.endsWith("You confirmed it."))).toHaveLength(expected.length);
    expect(paths(facts, { ...place, confirm: { replaceCluster: "lab2" } })).toEqual([
      "confirm.replaceCluster",
      ...expected,
    ]);
  });

  test("that an older version created is found by its name, and one that replaces it is enough", () => {
    expect(paths(other, { formerClusterName: "myeks" })).toEqual(["the cluster of this stack"]);
    expect(paths({ clusterNames: ["myeks"] }, { formerClusterName: "former" })).toEqual(["gpuNodes.maxSize"]);
    expect(paths(other, {})).toEqual(["gpuNodes.maxSize"]);
  });

  test("is not missed without the permission to list clusters", () => {
    expect(paths({ clusterNames: undefined })).toEqual(["gpuNodes.maxSize"]);
  });

  test("the wording", () => {
    const problems = [...found(other).problems, ...found({ clusterNames: [] }).problems];
    expect(problems.map((problem) => renderProblem(problem)).join("\n")).toMatchSnapshot();
  });
});
