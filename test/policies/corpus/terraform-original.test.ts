import { describe, expect, test } from "vitest";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import { judge, type AnalyzedResource } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";
import { plan } from "../../support/plan";
import { laterPreview, withoutLease } from "./environment";
import { asItWas, asMeant, type Choices } from "./terraform/choices";
import { environment } from "./terraform/environment";

/** What the environment gets to hear: `rule resource`, with a star where it may not be deployed so. */
async function said(choices: Choices, later = false): Promise<string[]> {
  const { resources } = await plan(() => environment(choices));
  const first = resources.map(asAnalyzed);
  return broken(later ? laterPreview(first) : first);
}

function broken(resources: readonly AnalyzedResource[]): string[] {
  const findings = judge(packs.shared, resources, { stack: "dev", policyConfig: withoutLease });
  const failed = findings.filter(({ verdict }) => verdict === "fail");
  const lines = failed.map(({ rule, name, level }) => `${rule} ${name}${level === "mandatory" ? " *" : ""}`);
  return lines.filter((line) => line !== alwaysAdvised).sort();
}

/** A plain Release always gets this advice, because the requested version is not visible. */
const alwaysAdvised = "gpu-operator-chart-pinned gpu-operator";

const nodeRole = ["AWSLoadBalancerControllerPolicy", "CasAutoScalerPolicy", "ExternalDNSPolicy"].map(
  (policy) => `node-role-minimal myeks-ng-1-myeks${policy} *`,
);
const secretive = ["launch-template-imdsv2 gpu", "launch-template-imdsv2 primary"];
const plainDisks = ["launch-template-volumes-encrypted gpu", "launch-template-volumes-encrypted primary"];

/** Each weakness of the original, and the rules that find it. */
const weaknesses: readonly [what: string, weakness: Partial<Choices>, found: readonly string[]][] = [
  ["the endpoint answers everybody", pick("publicAccessCidrs"), ["cluster-endpoint-public myeks *"]],
  ["aws-auth still counts", pick("authenticationMode"), ["cluster-access-mode myeks *"]],
  ["controllers act with the role of the nodes", pick("controllerRights"), nodeRole],
  ["every pod reaches the metadata service", pick("metadataHops"), secretive],
  ["the module dropped the size of the disks", pick("rootGiB"), ["gpu-node-disk gpu", ...plainDisks]],
  ["an update wants two more GPU nodes than the quota", pick("updateStrategy"), ["gpu-update-headroom myeks-ng-gpu *"]],
  // When a policy reads these versions, it cannot tell who selected them.
  ["AMI releases and add-ons are those of the day", pick("versions"), []],
];

function pick(choice: keyof Choices): Partial<Choices> {
  return { [choice]: asItWas[choice] };
}

describe("the environment that was written for Terraform first", () => {
  test("is known good as it was meant", async () => {
    expect(await said(asMeant)).toEqual([]);
    expect(await said(asMeant, true)).toEqual([]);
  });

  test("is found out as it was: these rules, on these resources, and nothing else", async () => {
    const everything = weaknesses.flatMap(([, , found]) => found).sort();
    expect(everything).toHaveLength(11);
    expect(await said(asItWas)).toEqual(everything);
    expect(await said(asItWas, true)).toEqual(everything);
  });

  test.each(weaknesses)("%s, and no more than that is said", async (_, weakness, found) => {
    const choices = { ...asMeant, ...weakness };
    expect(await said(choices)).toEqual([...found].sort());
    expect(await said(choices, true)).toEqual([...found].sort());
  });

  test("every weakness of the original has its case", () => {
    const differing = Object.entries(asItWas).filter(
      ([choice, was]) => JSON.stringify(was) !== JSON.stringify(asMeant[choice as keyof Choices]),
    );
    expect(weaknesses.flatMap(([, weakness]) => Object.keys(weakness)).sort()).toEqual(
      differing.map(([choice]) => choice).sort(),
    );
  });

  test("its experiment needs both toggles off: either way alone lets NCCL through", async () => {
    const found = ["experiment-toggle-left-on node *"];
    expect(await said({ ...asMeant, nccl: { nodeToNode: false, vpcWide: true } })).toEqual([]);
    expect(await said({ ...asMeant, nccl: { nodeToNode: true, vpcWide: false } })).toEqual([]);
    expect(await said({ ...asMeant, nccl: { nodeToNode: false, vpcWide: false } })).toEqual(found);
  });
});
