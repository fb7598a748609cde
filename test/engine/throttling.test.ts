import { expect, test } from "vitest";
import { describeEngine, everything, sharedWorkspace, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

// The provider of AWS repeats throttled requests; the lookups of the program are requests of the provider, too.
describeEngine("with 30 % of all requests of AWS throttled", () => {
  const shared = sharedWorkspace({ config: everything });

  test("an update, a preview, a refresh and a destroy complete, and read everything", async () => {
    const workspace = shared.current;
    const { faults } = workspace.cloud;
    const requests = { kinds: new Set<string>(), throttled: 0 };
    const inject = faults.inject.bind(faults);
    faults.inject = (operation, type) => {
      const effect = inject(operation, type);
      requests.throttled += effect === undefined ? 0 : 1;
      if (effect) requests.kinds.add(operation);
      return effect;
    };
    faults.add({ effect: "throttle", share: 0.3 });
    const runs = [
      await succeeding(workspace.up()),
      await succeeding(workspace.preview({ expectNoChanges: true, refresh: true })),
      await succeeding(workspace.refresh()),
    ];
    await expectNoOrphan(workspace);
    runs.push(await succeeding(workspace.destroy()));
    expect(
      runs.flatMap(({ diagnostics }) =>
        diagnostics.filter(({ message }) => /throttl|Rate exceeded|cannot read/i.test(message)),
      ),
    ).toEqual([]);
    expect(workspace.cloud.objects).toEqual([]);
    expect([...requests.kinds].sort()).toEqual(["create", "delete", "invoke", "read"]);
    expect(requests.throttled).toBeGreaterThan(100);
  });
});
