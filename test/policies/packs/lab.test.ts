import { EnforcementLevel } from "@pulumi/pulumi/proto/analyzer_pb";
import { judge } from "../../../policies/engine/judge";
import { lab } from "../../../policies/packs/lab/rules";
import manifest from "../../../policies/packs/lab/package.json";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeRequest, diagnostics, notApplicable, stackRequest } from "../support/analyzer";
import { servePack } from "../support/served-pack";
import { resource, unknown, urnOf } from "../support/verdicts";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const release = "kubernetes:helm.sh/v3:Release";
const operator = "eks-gpu-lab:index:GpuOperator";
const sizes = (minSize: unknown, desiredSize: unknown, maxSize: unknown) => ({
  scalingConfig: { minSize, desiredSize, maxSize },
});

/** The diagnostics that the engine gets for the findings of a rule. */
function reported(resources: readonly ReturnType<typeof resource>[], id: string): string[] {
  const title = lab.rules.find(({ rule }) => rule.id === id)?.rule.title;
  return judge(lab, resources, { stack: "dev" })
    .filter(({ rule, verdict }) => rule === id && verdict === "fail")
    .map(({ level, message, page }) => `${level} ${id}: ${title}\n${message}\nmore: ${page}`);
}

describe("the built pack, started as the engine does", () => {
  let pack: Awaited<ReturnType<typeof servePack>>;
  beforeAll(async () => {
    const config = { "eks-gpu-lab:gpuOperator": '{"chartVersion":">=26"}' };
    pack = await servePack("lab", { stack: "dev", config });
    await pack.configureStack();
  }, 60_000);
  afterAll(() => pack.stop());

  const analyze = async (...args: Parameters<typeof resource>) => pack.analyze(analyzeRequest(resource(...args)));

  test("it prints its port, and nothing else", async () => {
    expect((await pack.pluginInfo()).getVersion()).toMatch(/^1\.21\./);
    expect(pack.output).toEqual([expect.stringMatching(/^\d+$/)]);
  });

  test("before anything is configured, defaults hold", async () => {
    expect(diagnostics(await analyze(operator, { chartVersion: "v26.3.1" }))).toEqual([]);
    expect(diagnostics(await analyze(operator, { chartVersion: "26.x" }))).toHaveLength(1);
  });

  test("a good resource passes", async () => {
    const response = await analyze(nodeGroup, sizes(0, 0, 2));
    expect(diagnostics(response)).toEqual([]);
    expect(Object.keys(notApplicable(response))).toContain("gpu-operator-chart-pinned");
    expect(Object.keys(notApplicable(response))).not.toContain("nodegroup-scaling-order");
  });

  test("a bad one does not", async () => {
    const response = await analyze(nodeGroup, sizes(0, 3, 2));
    const expected = reported([resource(nodeGroup, sizes(0, 3, 2))], "nodegroup-scaling-order");
    expect(expected).toHaveLength(1);
    expect(diagnostics(response)).toEqual(expected);
  });

  test("what is unknown is neither a violation nor a pass", async () => {
    const response = await analyze(nodeGroup, sizes(0, unknown, 2));
    expect(diagnostics(response)).toEqual([]);
    expect(notApplicable(response)).toMatchObject({
      "nodegroup-scaling-order": "cannot be judged yet: scalingConfig.desiredSize is not known",
    });
  });

  test("a clear verdict stands with what is unknown", async () => {
    expect(diagnostics(await analyze(nodeGroup, sizes(3, unknown, 2)))).toHaveLength(1);
  });

  test("a secret is not printed", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "hunter2" };
    const [said] = diagnostics(await analyze(operator, { chartVersion: secret }));
    expect(said).toContain("chartVersion: got a string that is not a version.");
    expect(said).not.toContain("hunter2");
  });

  test("ignoreChanges reaches the rule", async () => {
    const scalingGroup = "aws:autoscaling/group:Group";
    const properties = { minSize: 0, desiredCapacity: 3, maxSize: 2 };
    const level = async (ignored: string) => {
      const options = { ignoreChanges: [ignored] };
      return diagnostics(await analyze(scalingGroup, properties, { options })).map((said) => said.split(" ")[0]);
    };
    expect(await level("desiredCapacity")).toEqual(["advisory"]);
    expect(await level("tags")).toEqual(["mandatory"]);
  });

  test("the stack's configuration reaches the rule", async () => {
    const [said] = diagnostics(await analyze(release, { chart: "gpu-operator", version: "v26.3.1" }));
    expect(said).toContain('eks-gpu-lab:gpuOperator.chartVersion: got ">=26".');
  });

  test("a component's fault is reported once", async () => {
    const parent = resource(operator, { chartVersion: "latest" }, { name: "operator" });
    const urn = urnOf(`${operator}$${release}`, "operator");
    expect(diagnostics(await pack.analyze(analyzeRequest(parent)))).toHaveLength(1);
    const made = { name: "operator", urn, parent: parent.urn };
    expect(
      diagnostics(await analyze(release, { chart: "gpu-operator", version: "v26.7.0", timeout: 900 }, made)),
    ).toEqual([]);
  });

  test("a fault is reported once where a type that no rule reads stands between", async () => {
    const parent = resource(operator, { chartVersion: "latest" }, { name: "outer" });
    const between = resource(
      "other:index:Wrapper",
      {},
      { name: "between", urn: urnOf(`${operator}$other:index:Wrapper`, "between"), parent: parent.urn },
    );
    expect(diagnostics(await pack.analyze(analyzeRequest(parent)))).toHaveLength(1);
    expect(diagnostics(await pack.analyze(analyzeRequest(between)))).toEqual([]);
    const urn = urnOf(`${operator}$other:index:Wrapper$${release}`, "outer");
    const made = { name: "outer", urn, parent: between.urn };
    const floating = { chart: "gpu-operator", version: "latest", timeout: 900 };
    expect(diagnostics(await analyze(release, floating, made))).toEqual([]);
  });

  test("rules that read other types are reported as not applicable, each once", async () => {
    const response = await analyze("aws:s3/bucket:Bucket", {});
    const reported = response.getNotApplicableList().map((one) => one.getPolicyName());
    expect(reported.sort()).toEqual(lab.rules.map(({ rule }) => rule.id).sort());
    expect(new Set(Object.values(notApplicable(response)))).toEqual(new Set(["it judges resources of other types"]));
  });

  test("a violation names the pack and its version", async () => {
    const [said] = (await analyze(nodeGroup, sizes(0, 3, 2))).getDiagnosticsList();
    expect(said?.toObject()).toMatchObject({ policypackname: lab.name, policypackversion: lab.version });
    expect(lab.version).toBe(manifest.version);
  });

  test("a rule on the stack judges by the inputs it was shown before, whatever the outputs", async () => {
    const limits = { "nvidia.com/gpu": 1, memory: "8Gi", cpu: 1 };
    const containers = [{ image: "registry.example/app:1.2.3", resources: { limits } }];
    const template = { spec: { tolerations: [{ operator: "Exists" }], containers } };
    const stack = [
      resource(nodeGroup, { ...sizes(0, 0, 1), instanceTypes: ["g5.xlarge"], amiType: "AL2023_x86_64_NVIDIA" }),
      resource("kubernetes:apps/v1:Deployment", { spec: { replicas: 1, template } }, { name: "serving" }),
    ];
    for (const one of stack) {
      const response = await pack.analyze(analyzeRequest(one));
      expect(notApplicable(response)).toMatchObject({ "gpu-rollout-deadlock": "judged with the whole stack" });
    }
    const outputs = stack.map((one) => ({ ...one, properties: {} }));
    const said = diagnostics(await pack.analyzeStack(stackRequest(outputs)));
    const expected = reported(stack, "gpu-rollout-deadlock");
    expect(expected).toHaveLength(1);
    expect(said.filter((one) => one.includes("gpu-rollout-deadlock"))).toEqual(expected);
  });

  test("a rule on the stack follows links to resources of types that it does not read", async () => {
    const name = "kubernetes:helm.sh/v3:Release";
    const scaler = resource(name, { chart: "cluster-autoscaler", version: "9.46.0", timeout: 900 }, { name: "scaler" });
    const role = resource("aws:iam/role:Role", {}, { name: "scaler" });
    const allow = (Action: string) => JSON.stringify({ Statement: [{ Effect: "Allow", Action, Resource: "*" }] });
    const policy = (own: string, Action: string) =>
      resource(
        "aws:iam/rolePolicy:RolePolicy",
        { role: unknown, policy: allow(Action) },
        {
          name: own,
          propertyDependencies: { role: [role.urn] },
        },
      );
    const nodes = resource(
      nodeGroup,
      {
        ...sizes(0, 0, 1),
        instanceTypes: ["g5.xlarge"],
        amiType: "AL2023_x86_64_NVIDIA",
        taints: [],
        labels: { "k8s.amazonaws.com/accelerator": "a10g" },
      },
      { name: "gpu" },
    );
    const tagless = async (...all: ReturnType<typeof resource>[]) => {
      for (const one of all) await pack.analyze(analyzeRequest(one));
      const said = diagnostics(await pack.analyzeStack(stackRequest(all)));
      return said.filter((one) => one.includes("cas-scale-from-zero-tags")).length;
    };
    const scales = policy("scales", "autoscaling:SetDesiredCapacity");
    expect(await tagless(scaler, role, nodes, scales)).toBe(1);
    expect(await tagless(scaler, role, nodes, scales, policy("reads", "eks:DescribeNodegroup"))).toBe(0);
  });

  test("no policy remediates", async () => {
    const bad = resource(nodeGroup, sizes(0, 3, 2));
    expect((await pack.remediate(analyzeRequest(bad))).getRemediationsList()).toEqual([]);
  });

  describe("configured", () => {
    const level = async (setting: EnforcementLevel) => {
      await pack.configure({ "nodegroup-scaling-order": { level: setting } });
      return diagnostics(await analyze(nodeGroup, sizes(0, 3, 2))).map((said) => said.split(" ")[0]);
    };
    test("levels", async () => {
      expect(await level(EnforcementLevel.ADVISORY)).toEqual(["advisory"]);
      expect(await level(EnforcementLevel.DISABLED)).toEqual([]);
      expect(await level(EnforcementLevel.REMEDIATE)).toEqual(["mandatory"]);
      expect(await level(EnforcementLevel.MANDATORY)).toEqual(["mandatory"]);
    });

    const chart = async (properties: Record<string, unknown>, chartVersion: string) => {
      await pack.configure({ "gpu-operator-chart-pinned": { level: EnforcementLevel.MANDATORY, properties } });
      return diagnostics(await analyze(operator, { chartVersion })).length;
    };
    test("parameters", async () => {
      expect(await chart({ allowed: ["v26.7.0"] }, "v26.7.0")).toBe(0);
      expect(await chart({ allowed: ["v26.7.0"] }, "v26.3.1")).toBe(1);
      expect(await chart({ exempt: ["i*"] }, "latest")).toBe(0);
    });
  });
});
