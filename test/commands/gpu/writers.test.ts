import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pressCtrlC } from "../../support/ctrl-c";
import { accepted, instances, nodegroup } from "./session/support/answers";
import { GroupModel, type Weather } from "./session/support/group-model";
import { expectValidExchanges } from "../../support/aws-server";
import { gpu } from "./support";

// Readings that are older than a request, and other writers of the sizes.

expectValidExchanges();

const calm: Weather = { updateTakes: 3, showsOld: true, lag: 0, stopTakes: 4 };
const weather = fc.record<Weather>({
  updateTakes: fc.nat(8),
  showsOld: fc.boolean(),
  lag: fc.nat(5),
  stopTakes: fc.nat(8),
});
/** Each run is a session over HTTP. */
const few = { numRuns: 25 };
const atRest = { desired: 0, min: 0 };

describe("down right after an up that was killed", () => {
  test("the old sizes are shown while the update runs: the new ones are sent when EKS accepts them", async () => {
    const group = new GroupModel({ ...calm, updateTakes: 6 }, { desired: 0 });
    group.change(1);
    const { status, out, err } = await gpu(group.answers(), ["down"]);
    expect([status, group.now, group.requests], err).toEqual([0, atRest, [{ minSize: 0, maxSize: 2, desiredSize: 0 }]]);
    expect(err).toContain("waiting to send the request: AWS is busy: update in progress.");
    expect(out).toContain("size       desired 0, min 0, max 2; ACTIVE");
  });

  test("whatever EKS shows, and for how long: the group is at rest if the command says so", async () => {
    await fc.assert(
      fc.asyncProperty(weather, fc.boolean(), async (given, isKilled) => {
        const group = new GroupModel(given, { desired: isKilled ? 0 : 1 });
        if (isKilled) group.change(1);
        const { status, out } = await gpu(group.answers(), ["down"]);
        expect(group.now).toEqual(atRest);
        expect(group.requests.length).toBeLessThanOrEqual(3);
        expect(status === 0).toBe(out.includes("The session is over"));
      }),
      few,
    );
  });
});

describe("another writer", () => {
  test("sets sizes at any time during down: the group is at rest, or the command says that it is not", async () => {
    const change = fc.record({ at: fc.nat(40), desired: fc.nat(2), min: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(weather, change, async (given, { at, desired, min }) => {
        const group = new GroupModel({ ...given, lag: 0 }, { desired: 1 });
        let isDone = false;
        let last = {};
        const answers = group.answers((time) => {
          if (time >= at && !isDone) isDone = group.change(Math.max(desired, min), min);
          last = group.now;
        });
        const { status, out, err } = await gpu(answers, ["down"]);
        if (status === 0) expect(last, err).toEqual(atRest);
        else expect(out).toContain("Another writer changed the group after the request.");
      }),
      few,
    );
  });

  test.for([
    ["one node more", { desired: 1, min: 0 }, "It is at desired size 1 and min 0, and its nodes cost money."],
    ["a minimum", { desired: 0, min: 1 }, "It is at desired size 0 and min 1."],
  ] as const)("%s after the group was at rest ends down with status 1, and is said", async ([, now, text]) => {
    const answers = {
      DescribeNodegroup: (_: object, number: number) => nodegroup(number > 3 ? now : { desired: number > 1 ? 0 : 1 }),
      DescribeAutoScalingGroups: (_: object, number: number) => (number < 4 ? instances("Terminating") : instances()),
      UpdateNodegroupConfig: () => accepted,
    };
    const { status, out, changes } = await gpu(answers, ["down"]);
    expect([status, changes.length]).toEqual([1, 1]);
    expect(out.replace(/\s+/g, " ")).toContain(`Another writer changed the group after the request. ${text}`);
    expect(out).toContain("  npx eks-gpu-lab gpu down --region");
    const json = JSON.parse((await gpu(answers, ["down", "--json"])).out) as object;
    expect(json).toMatchObject({ outcome: "changed", isCurrent: true, group: { sizes: now } });
  });

  test("a session that begins while down ends one is seen by the last reading", async () => {
    const answers = {
      // 1: before; 2: the instances are gone; 3: the last reading.
      DescribeNodegroup: (_: object, number: number) => nodegroup({ desired: number === 2 ? 0 : 1 }),
      UpdateNodegroupConfig: () => accepted,
    };
    const { status, out } = await gpu(answers, ["down"]);
    expect([status, out]).toEqual([1, expect.stringContaining("Another writer changed the group")]);
    expect(out).not.toContain("The session is over");
  });

  test("sets the group to 0 during up: up ends with status 1, and prints no size of its request", async () => {
    const answers = {
      DescribeNodegroup: (_: object, number: number) => nodegroup({ desired: number === 2 ? 2 : 0 }),
      UpdateNodegroupConfig: () => accepted,
      DescribeAutoScalingGroups: (_: object, number: number) =>
        number < 2 ? instances() : number < 3 ? instances("Pending") : instances("InService", "InService"),
    };
    const { status, out } = await gpu(answers, ["up", "2"]);
    expect(status).toBe(1);
    expect(out).toContain("size       desired 0, min 0, max 2; ACTIVE");
    expect(out).toContain("Another writer changed the group after the request. It is at desired size 0 and min 0.");
    expect(out).not.toMatch(/desired size 2|The session runs/);
    const json = JSON.parse((await gpu(answers, ["up", "2", "--json"])).out) as object;
    expect(json).toMatchObject({ outcome: "changed", requested: { desired: 2 }, group: { sizes: { desired: 0 } } });
  });

  test("sets the group to 0 at any time during up: up succeeds only with the size that it asked for", async () => {
    await fc.assert(
      fc.asyncProperty(weather, fc.nat(20), async (given, at) => {
        const group = new GroupModel({ ...given, lag: 0 }, { desired: 0 });
        let isDone = false;
        let last = 0;
        const answers = group.answers((time) => {
          if (time >= at && group.requests.length > 0 && !isDone) isDone = group.change(0);
          last = group.now.desired;
        });
        const { status, out } = await gpu(answers, ["up", "1"]);
        if (status === 0) expect(last).toBeLessThanOrEqual(1);
        else expect(out).toContain("It is at desired size 0 and min 0.");
        expect(status === 0).toBe(out.includes("The session runs: 1 instance"));
      }),
      few,
    );
  });

  test("up sends the sizes of a group that is being updated: it can show those before gpu down", async () => {
    const group = new GroupModel({ ...calm, updateTakes: 6 }, { desired: 1 });
    group.change(0);
    const { status, err } = await gpu(group.answers(), ["up", "1"]);
    expect([status, group.now.desired], err).toEqual([0, 1]);
  });
});

describe("the state that is printed is the one that was read last", () => {
  const interrupting = {
    DescribeNodegroup: () => nodegroup(),
    UpdateNodegroupConfig: () => {
      pressCtrlC();
      return accepted;
    },
  };

  test.for([
    [["up", "1"], "EKS accepted desired size 1, and the tool has not read the group since: AWS keeps trying"],
    [["down"], "EKS accepted desired size 0, and the tool has not read the group since: EKS drains"],
  ] as const)("%j, interrupted before the group was read again", async ([args, text]) => {
    const { status, out } = await gpu(interrupting, args);
    expect([status, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(text)]);
    const json = JSON.parse((await gpu(interrupting, [...args, "--json"])).out) as object;
    expect(json).toMatchObject({ outcome: "interrupted", isCurrent: false, group: { sizes: { desired: 0 } } });
  });

  test.for([
    [["up", "1"], {}, "EKS accepted desired size 1, and still shows desired size 0 and min 0: AWS keeps trying"],
    [["down"], { desired: 2 }, "EKS accepted desired size 0, and still shows desired size 2 and min 0: EKS drains"],
  ] as const)("%j, ended while EKS shows the sizes from before the update", async ([args, fields, text]) => {
    const answers = {
      DescribeNodegroup: (_: object, number: number) =>
        nodegroup({ ...fields, status: number > 1 ? "UPDATING" : "ACTIVE" }),
      UpdateNodegroupConfig: () => accepted,
    };
    const { status, out } = await gpu(answers, [...args, "--timeout", "1"]);
    expect([status, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(text)]);
  });
});
