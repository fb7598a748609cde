import { expect, test } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import { types } from "../../simulation/aws/types";
import { existing, expectNoOrphan } from "./support/cloud-and-state";
import { describeEngine, errorsOf, failing, openWorkspace, succeeding } from "./support/engine";

const logGroupName = "/aws/eks/myeks/cluster";

describeEngine("two people with the default names and backends of their own", () => {
  test("the second preview and update are refused before anything is created, with the owner; another name works", async () => {
    const cloud = createCloud();
    const [first, second] = [await openWorkspace({ cloud: () => cloud }), await openWorkspace({ cloud: () => cloud })];
    await succeeding(first.up());
    const before = existing(second);
    for (const refused of [await failing(second.preview()), await failing(second.up())]) {
      const text = errorsOf(refused);
      expect(text).toMatch(
        /clusterName: got "myeks"\. The cluster myeks exists, but is not in the state of this stack\./,
      );
      expect(text).toContain("eks-gpu-lab/stack=organization/eks-gpu-lab/gpu-lab");
      expect(text).toContain("npx eks-gpu-lab leftovers --stack gpu-lab --adopt");
    }
    expect(existing(second)).toEqual(before);
    // Its own names are not taken.
    await succeeding(first.preview({ expectNoChanges: true }));
    second.configure(['publicAccessCidrs=["8.8.8.8/32"]', "clusterName=mine"]);
    await succeeding(second.preview());
  });
});

describeEngine("a name of the environment", () => {
  test("is not taken by what the failed update of the same stack created", async () => {
    const workspace = await openWorkspace();
    const { cloud } = workspace;
    cloud.faults.add({ operation: "create", type: types.nodeGroup, effect: "reject" });
    await failing(workspace.up());
    expect(existing(workspace)).toContain(`${types.cluster} myeks`);
    await succeeding(workspace.up());
    await expectNoOrphan(workspace);
  });

  test("is refused if another environment has made what the state has again", async () => {
    const workspace = await openWorkspace();
    const { cloud } = workspace;
    await succeeding(workspace.up());
    const made = cloud.objects.find(({ type }) => type === types.cluster);
    const tags = { "eks-gpu-lab/id": "r-1/1/another" };
    if (made) cloud.put({ ...made, inputs: { ...made.inputs, tags }, computed: { ...made.computed, tagsAll: tags } });
    const text = errorsOf(await failing(workspace.preview()));
    expect(text).toContain(
      "the cluster myeks, but in AWS it belongs to another environment: eks-gpu-lab/id=r-1/1/another.",
    );
    expect(text).toMatch(/pulumi state delete \S*Cluster\S* --target-dependents --force/);
  });

  test.for([
    [types.logGroup, { name: logGroupName, tags: { owner: "alice" } }, logGroupName],
    [types.alias, { name: "alias/eks/myeks", targetKeyId: "a-key" }, "alias/eks/myeks"],
  ] as const)("%s is refused if another program has it", async ([type, inputs, id]) => {
    const workspace = await openWorkspace();
    const object = { type, id, inputs, computed: { tagsAll: "tags" in inputs ? inputs.tags : undefined } };
    workspace.cloud.put(object);
    const text = errorsOf(await failing(workspace.up()));
    expect(text).toContain(`${id} exists, but is not in the state of this stack.`);
    expect(workspace.cloud.objects.map((one) => one.id)).toEqual([id]);
  });
});
