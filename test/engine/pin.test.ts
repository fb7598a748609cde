import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runPin } from "../../commands/pin/pin";
import { amiReleases, kubernetesVersion } from "../../components/core/versions";
import { fineAccount } from "../aws/account/support/answers";
import { useAws } from "../support/aws-environment";
import { awsServer } from "../support/aws-server";
import { captured } from "../support/cli";
import { folder } from "../support/files";
import { describeEngine } from "./support/engine";

const release = String(amiReleases[kubernetesVersion]);
const newer = `${release.split("-")[0]}-20991231`;
const file = `# Our stack.
config:
  # Agreed with the team.
  eks-gpu-lab:gpuNodes:
    maxSize: 1 # the quota
`;

// The Pulumi CLI writes the file: it must keep what people wrote.
describeEngine("pin with the Pulumi CLI", () => {
  test("writes the versions, and keeps the user's values and comments", async () => {
    const manifest = readFileSync("Pulumi.yaml", "utf8").replace("main: stacks/", `main: ${process.cwd()}/stacks/`);
    const cwd = folder({ "Pulumi.yaml": manifest, "stacks/Pulumi.gpu-lab.yaml": file, "state/.keep": "" });
    const aws = await awsServer({
      ...fineAccount,
      GetParameter: ({ Name: name }) => {
        const value = /recommended|20991231/.test(String(name)) ? newer : release;
        return { Parameter: { Name: name, Type: "String", Value: value, Version: 1 } };
      },
    });
    useAws(aws.endpoint);
    vi.stubEnv("PULUMI_BACKEND_URL", `file://${join(cwd, "state")}`);
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE", "");
    vi.stubEnv("PULUMI_HOME", join(cwd, "home"));
    execFileSync("pulumi", ["stack", "init", "gpu-lab", "--non-interactive"], { cwd, stdio: "pipe" });

    const pin = (...args: readonly string[]) =>
      captured((console) => runPin(["--stack", "gpu-lab", ...args], console), { cwd });
    const { status, out, err } = await pin();
    expect(status, err).toBe(0);
    expect(out).toContain("Written to the configuration of the stack");
    const written = readFileSync(join(cwd, "stacks/Pulumi.gpu-lab.yaml"), "utf8");
    for (const kept of ["# Our stack.", "# Agreed with the team.", "maxSize: 1 # the quota"])
      expect(written).toContain(kept);
    expect(written.match(new RegExp(`releaseVersion: ${newer}`, "g"))).toHaveLength(2);
    expect((await pin("--check")).status).toBe(0);
  });
});
