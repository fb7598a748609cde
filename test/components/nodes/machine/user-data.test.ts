import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { nodeTools, packageList, userData } from "../../../../components/nodes/machine/user-data";
import { problemsIn } from "../../../../components/core/schema";
import { testProblems } from "../../../support/problems";

interface Part {
  type: string;
  body: string;
}

/** Reads multi-part MIME the way cloud-init does. */
function parts(base64: string | undefined): Part[] {
  const text = Buffer.from(base64 ?? "", "base64").toString();
  const [head = "", ...rest] = text.split("\n\n");
  const boundary = /^MIME-Version: 1\.0\nContent-Type: multipart\/mixed; boundary="(.+)"$/.exec(head)?.[1];
  if (boundary === undefined) throw new Error(`no MIME head in ${text}`);
  const sections = `\n${rest.join("\n\n")}`.split(`\n--${boundary}`);
  expect(sections.at(-1)).toBe("--\n");
  return sections.slice(1, -1).map((section) => {
    const [header = "", ...body] = section.slice(1).split("\n\n");
    return { type: header.replace("Content-Type: ", ""), body: body.join("\n\n") };
  });
}

test("a NodeConfig and a script", () => {
  const [config, script, ...more] = parts(userData({ maxPods: 50, localStorage: "raid0", tools: ["htop", "tree"] }));
  expect(more).toEqual([]);
  expect(config?.type).toBe("application/node.eks.aws");
  expect(load(config?.body ?? "")).toEqual({
    apiVersion: "node.eks.aws/v1alpha1",
    kind: "NodeConfig",
    spec: { kubelet: { config: { maxPods: 50 } }, instance: { localStorage: { strategy: "RAID0" } } },
  });
  expect(script?.type).toBe('text/x-shellscript; charset="us-ascii"');
  expect(script?.body).toBe(
    [
      "#!/bin/bash",
      "timeout 180 dnf install -y --setopt=strict=0 htop tree ||",
      '  echo "not all tools were installed; the node works without them"',
      "exit 0",
      "",
    ].join("\n"),
  );
});

describe("only what there is to say", () => {
  test.for([
    ["pods alone", { maxPods: 50 }, ["application/node.eks.aws"]],
    ["RAID0 alone", { localStorage: "raid0" }, ["application/node.eks.aws"]],
    ["tools alone", { tools: ["htop"] }, ['text/x-shellscript; charset="us-ascii"']],
  ] as const)("%s", ([, spec, types]) => expect(parts(userData(spec)).map((p) => p.type)).toEqual(types));

  test("nothing at all", () => {
    expect(userData({})).toBeUndefined();
    expect(userData({ localStorage: "none", tools: [] })).toBeUndefined();
  });

  test("RAID0 alone says nothing of pods", () => {
    expect(load(parts(userData({ localStorage: "raid0" }))[0]?.body ?? "")).toMatchObject({
      spec: { instance: { localStorage: { strategy: "RAID0" } } },
    });
    expect(parts(userData({ localStorage: "raid0" }))[0]?.body).not.toContain("kubelet");
  });
});

test("the same input gives the same text, and no node updates its packages", () => {
  const spec = { maxPods: 50, tools: nodeTools };
  expect(userData(spec)).toBe(userData({ ...spec }));
  expect(Buffer.from(userData(spec) ?? "", "base64").toString()).not.toMatch(/dnf (-y )?(update|upgrade)/);
});

test("packages", () => {
  expect(problemsIn(packageList(), ["htop", "libstdc++", "python3.11", "nvme-cli"])).toEqual([]);
});
testProblems(
  (tools: unknown) => problemsIn(packageList(), tools, "tools"),
  [
    [["htop; reboot"], "not-allowed tools[0]"],
    [["htop", "--nogpgcheck"], "not-allowed tools[1]"],
    [[1], "wrong-type tools[0]"],
    ["htop", "wrong-type tools"],
  ],
);
