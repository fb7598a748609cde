import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runCli } from "../../../support/cli";
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
    expect(err).toMatch(/^1 problem with the cluster:/);
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
    [["--context", "other"], /--context: got "other"/],
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

  test.for([
    ["an empty file", "", "it has no context"],
    ["a text", "hello", "it has no context"],
    ["a list", "- a", "it has no context"],
    ["no contexts", "contexts: []", "it has no context"],
  ])("a kubeconfig with %s", async ([, config, reason]) => {
    const kubeconfig = join(folder({ config: config ?? "" }), "config");
    const { status, err } = await triage({ kubeconfig });
    expect([status, err]).toEqual([2, expect.stringContaining(`The kubeconfig cannot be read: ${reason}.`)]);
  });

  test("no kubeconfig at all", async () => {
    vi.stubEnv("KUBECONFIG", undefined);
    vi.stubEnv("HOME", folder({}));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { status, err } = await runCli(["triage"]);
    expect(status).toBe(2);
    expect(err).toContain("KUBECONFIG: There is no kubeconfig: KUBECONFIG is not set");
  });

  test.for(["not an address", "127.0.0.1:6443", "https://127.999.1.1", "ftp://127.0.0.1"])(
    "the server %s",
    async (server) => {
      const { status, err } = await triage({ kubeconfig: kubeconfigFor(server) });
      expect(status).toBe(2);
      expect(err).toContain(`clusters.c.server: got "${server}". Must be the address of an API server.`);
    },
  );

  test("http without insecure-skip-tls-verify", async () => {
    const config = readFileSync(kubeconfigFor("http://127.0.0.1:1"), "utf8").replace(
      '"insecure-skip-tls-verify":true',
      "",
    );
    const kubeconfig = join(folder({ config: config.replace('1",}', '1"}') }), "config");
    const { status, err } = await triage({ kubeconfig });
    expect([status, err]).toEqual([2, expect.stringContaining('clusters.c.server: got "http://127.0.0.1:1".')]);
    expect(err).toContain("insecure-skip-tls-verify of the cluster to true");
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
