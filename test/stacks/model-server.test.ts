import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { failedStart, type FailedStart } from "../../components/local/failed-start";
import { fitModel } from "../../components/workloads/serving/fit";
import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import { knownModel, type ModelShape } from "../../components/workloads/serving/model-shape";
import { openProject, recordStack, type OpenProject } from "../../planner/plan-stack";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import { faultyServer, healthyServer, serverVariants } from "../../stacks/run/server-variants";
import { ownProject } from "../support/own-project";

let project: OpenProject;
beforeAll(async () => {
  project = await openProject(ownProject);
});

const variants = Object.keys(serverVariants) as FailedStart[];
const [fault] = togglesOf(labs["model-server"], new Date());
const onMock = ["localCluster.context=laptop", "localCluster.gpus=mock"];

/** The inputs of the Deployment and of the ConfigMap on a local cluster. */
async function onLaptop(config: readonly string[]) {
  const { recording } = await recordStack(project, "model-server", [...onMock, ...config]);
  const [server, script] = ["apps/v1:Deployment", "core/v1:ConfigMap"].map((kind) =>
    recording.resources.find(({ type, name }) => type === `kubernetes:${kind}` && name.startsWith("chat")),
  );
  return { pod: server?.inputs["spec"], data: script?.inputs["data"] };
}

const podWith = (container: object, volumes: readonly object[]) =>
  expect.objectContaining({
    template: expect.objectContaining({
      spec: expect.objectContaining({
        containers: [expect.objectContaining(container)],
        volumes: expect.arrayContaining([...volumes]) as object[],
      }) as object,
    }) as object,
  }) as object;

describe("on a local cluster", () => {
  test.each(variants)("%s: a container replays the recorded start", async (variant) => {
    const { pod, data } = await onLaptop([...(fault?.config ?? []), `faultVariant=${variant}`]);
    const { command, args, mountPath, data: recorded } = failedStart(variant);
    const mount = expect.objectContaining({ mountPath, name: "recording" }) as object;
    const volumeMounts = expect.arrayContaining([mount]) as object[];
    const volume = { name: "recording", configMap: { name: "chat-recording" } };
    expect(pod).toEqual(podWith({ command, args, volumeMounts, image: expect.stringMatching(/busybox/) }, [volume]));
    expect(data).toEqual(recorded);
  });

  test("without the fault, the container answers its probes", async () => {
    const { pod, data } = await onLaptop([]);
    const { template } = pod as { template: { spec: { containers: { command: string[] }[] } } };
    const [, , script = ""] = template.spec.containers[0]?.command ?? [];
    const calls = 'mkdir() { echo mkdir "$@"; }; touch() { echo touch "$@"; }; httpd() { echo httpd "$@"; };';
    const { stdout, status } = spawnSync("sh", ["-c", calls + script.replace("exec ", "")], { encoding: "utf8" });
    expect(stdout.trim().split("\n")).toEqual([
      "mkdir /tmp/www",
      "touch /tmp/www/health",
      "httpd -f -p 8000 -h /tmp/www",
    ]);
    expect([status, data]).toEqual([0, undefined]);
  });
});

describe("on a g5.xlarge", () => {
  const g5 = instanceType("g5.xlarge") as InstanceType;
  const { model, maxModelLen } = healthyServer;
  const fit = (variant?: FailedStart) => {
    const args = { maxModelLen, ...(variant && faultyServer[variant]) };
    const {
      maxModelLen: context,
      tensorParallelSize: tensorParallel = 1,
      gpuMemoryUtilization: utilization = 0.9,
    } = args;
    return fitModel(knownModel(model) as ModelShape, g5, { context, tensorParallel, utilization, minor: 11 });
  };

  test("the model fits without the fault", () => expect(fit().verdict).toBe("fits"));

  test.each([
    ["kvCache", "cache"],
    ["context", "context"],
    ["tensorParallel", "gpus"],
  ] as const)("%s does not fit, for its reason", (variant, limit) => {
    expect(fit(variant)).toMatchObject({ verdict: "does-not-fit", limit });
  });

  test("the cache of kvCache is not empty, so that the error names what fits", () => {
    const { memory } = fit("kvCache");
    expect(memory?.cacheRange.least).toBeGreaterThan(0.5);
    expect(memory?.request).toBeGreaterThan((memory?.cacheRange.most ?? Infinity) + 0.5);
  });
});
