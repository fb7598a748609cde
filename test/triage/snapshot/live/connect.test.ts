import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../../../support/files";
import { apiServer, kubeconfigFor, send } from "../../support/api-server";
import * as clusters from "../../support/clusters";
import { labelled, triage } from "../../support/live";
import { Wording } from "../../support/wording";

const wording = new Wording();

describe("a cluster that cannot be reached: one error with its fix", () => {
  test.for([
    ["no server", "http://127.0.0.1:1", {}, /127\.0\.0\.1:1 .*ECONNREFUSED/],
    ["no such host", "http://cluster.invalid", {}, /ENOTFOUND|EAI_AGAIN/],
    [
      "the sign-in command is missing",
      "http://127.0.0.1:1",
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "/nonexistent/aws", args: [] } },
      /\/nonexistent\/aws/,
    ],
  ] as const)("%s", async ([, server, user, expected]) => {
    const { status, out, err } = await triage({ kubeconfig: kubeconfigFor(server, user) });
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^the cluster: 1 problem/);
    expect(err).toMatch(expected);
    if (!server.endsWith(".invalid")) wording.add(err);
  });

  test("rejected credentials", async () => {
    const api = await apiServer({
      items: [],
      intercept: (_, response) => send(response, 401, { message: "Unauthorized" }),
    });
    const { err } = await triage(api);
    wording.add(withoutPort(err));
    expect(err).toContain("401 Unauthorized");
  });

  test("no response within the timeout", async () => {
    const api = await apiServer({ items: [], intercept: () => true });
    const { err } = await triage(api, "--timeout", "1");
    wording.add(withoutPort(err));
    expect(err).toContain("within 1 seconds");
  });

  test("continues after a request without a response", async () => {
    const api = await apiServer({ items: labelled(clusters.healthy), intercept: (path) => path.includes("events") });
    const { status, out } = await triage(api, "--timeout", "1");
    expect(status).toBe(0);
    expect(out).toContain("events of all namespaces: The API server");
  });
});

describe("a wrong kubeconfig or name", () => {
  test.for([
    [["--context", "lba"], /--context: got "lba"\..*\n {4}fix: did you mean lab\?/],
    [["--context", "other"], /current-context: got "other"/],
  ] as const)("%s", async ([args, expected]) => {
    const { status, err } = await triage({ kubeconfig: kubeconfigFor("http://127.0.0.1:1") }, ...args);
    expect(status).toBe(2);
    expect(err).toMatch(expected);
    wording.add(err);
  });

  test("a missing or malformed kubeconfig", async () => {
    const { err } = await triage({ kubeconfig: "/nowhere/config" });
    expect(err).toContain('--kubeconfig: got "/nowhere/config"');
    wording.add(err);
    const broken = join(folder({ config: "clusters: [" }), "config");
    expect((await triage({ kubeconfig: broken })).err).toContain(`--kubeconfig: got "${broken}"`);
  });

  test("a pod or node that does not exist, with the nearest name", async () => {
    const api = await apiServer({ items: labelled(clusters.pluginOff) });
    const unknownPod = (await triage(api, "pod", "gpu-prob")).err;
    wording.add(unknownPod);
    expect(unknownPod).toMatch(/triage pod: got "gpu-prob"\. .* gpu-lab\.\n {4}fix: did you mean gpu-probe\?/);
    expect((await triage(api, "node", "ip-gpu-c")).err).toMatch(
      /triage node: got "ip-gpu-c"\. .*\n {4}fix: did you mean ip-gpu-/,
    );
  });
});

function withoutPort(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1");
}

test("wording", () => expect(String(wording)).toMatchSnapshot());
