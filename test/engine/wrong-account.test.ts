import { expect, test } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import { describeEngine, errorsOf, openWorkspace, ownAddress, sharedWorkspace, succeeding, cloudChanges } from "./support/engine";

describeEngine("experiment", () => {
  const shared = sharedWorkspace();
  test("x", async () => {
    await succeeding(shared.current.up());
    const other = await openWorkspace({ cloud: () => createCloud({ account: { accountId: "999999999999" } }) });
    await other.importState(await shared.current.exportState());
    const a = await other.preview();
    console.log("preview", a.status, cloudChanges(a).length, errorsOf(a).slice(0, 500));
    const b = await other.preview({ refresh: true });
    console.log("preview -r", b.status, cloudChanges(b).length, errorsOf(b).slice(0, 500));
    other.configure([ownAddress, "lab=zzz"]);
    const c = await other.up({ refresh: true });
    console.log("up -r with a wrong program", c.status, cloudChanges(c).length, errorsOf(c).slice(0, 500));
    const s = await other.exportState();
    console.log(s.deployment.resources?.length, JSON.stringify(s.deployment.resources?.[0]?.outputs).slice(0,300));
    expect(1).toBe(1);
  });
});
