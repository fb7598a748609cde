import { expect, test } from "vitest";
import { cleanEnvironment } from "../../../simulation/pulumi/command";

test("nothing of the user's environment comes along but the way to Node.js and the temporary folder", () => {
  const env = cleanEnvironment("/t", "aws:1", {
    PATH: "/bin",
    TMPDIR: "/tmp",
    HOME: "/home/me",
    AWS_PROFILE: "production",
    AWS_ACCESS_KEY_ID: "AKIA",
    KUBECONFIG: "/home/me/.kube/config",
    HTTPS_PROXY: "http://proxy",
    PULUMI_BACKEND_URL: "s3://state",
    PULUMI_ACCESS_TOKEN: "pul-1",
    NODE_OPTIONS: "--inspect",
  });
  expect(env).toEqual({
    PATH: "/bin",
    TMPDIR: "/tmp",
    HOME: "/t",
    USERPROFILE: "/t",
    PULUMI_HOME: "/t/.pulumi",
    PULUMI_BACKEND_URL: "file:///t/state",
    PULUMI_CONFIG_PASSPHRASE: "simulation",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DEBUG_PROVIDERS: "aws:1",
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    NO_PROXY: "127.0.0.1,localhost",
  });
});
