import { describe, expect, test } from "vitest";
import { modelFitsGpu as rule } from "../../../../policies/rules/workloads/model-fits-gpu";
import { group } from "../../support/gpu-workloads";
import { everyKind, pod } from "../../support/pods";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpu = "nvidia.com/gpu";
const image = "vllm/vllm-openai:v0.11.0";
const llama = "meta-llama/Llama-3.1-8B-Instruct";
const small = "Qwen/Qwen2.5-0.5B-Instruct";
const shm = { volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }] };
const limits = (amount: unknown) => ({ resources: { limits: { [gpu]: amount } } });

/** A container of the image of vLLM with one GPU. */
const server = (args: unknown, more: object = {}) => ({ image, args, ...limits(1), ...more });
/** Pods on nodes of a g5.xlarge, with a container that has such arguments. */
const on = (container: object, spec: object = {}, nodes = [group(1)]) => [
  ...nodes,
  pod({ ...spec, containers: [container] }),
];
const say = (container: object, spec: object = {}, nodes = [group(1)]) => verdicts(rule, on(container, spec, nodes));
const arg = (index: number) => `spec.containers[0].args[${index}]`;

describe("the length of the context", () => {
  test.for([
    ["that of the model", ["--model", small, "--max-model-len", "32768"], []],
    ["a token more", ["--model", small, "--max-model-len", "32769"], [`fail ${arg(3)}`]],
    ["a number without quotes", ["--model", small, "--max-model-len", 32769], [`fail ${arg(3)}`]],
    ["with an equals sign", ["--model", small, "--max-model-len=32769"], [`fail ${arg(2)}`]],
    ["with underscores", [`--model=${small}`, "--max_model_len=32769"], [`fail ${arg(1)}`]],
    ["the model as a positional", [small, "--max-model-len=32769"], [`fail ${arg(1)}`]],
    ["the last of two", [small, "--max-model-len=32769", "--max-model-len=1024"], []],
    ["32k is 32,000", [small, "--max-model-len=32k"], []],
    ["33k", [small, "--max-model-len=33k"], [`fail ${arg(1)}`]],
    ["32.7k", [small, "--max-model-len=32.7k"], []],
    ["32K is 32,768", [small, "--max-model-len=32K"], []],
    ["33K", [small, "--max-model-len=33K"], [`fail ${arg(1)}`]],
    ["1M", [small, "--max-model-len=1M"], [`fail ${arg(1)}`]],
    ["automatic", [small, "--max-model-len=-1"], []],
    ["no number", [small, "--max-model-len=long"], []],
    ["no value", [small, "--max-model-len"], []],
    ["a model outside the table", ["acme/model", "--max-model-len=9999999"], []],
    ["a name that objects have", ["constructor", "--max-model-len=9999999"], []],
    ["a model of the table without a shape", ["openai/gpt-oss-20b", "--max-model-len=9999999"], []],
    ["no model", ["--max-model-len=9999999"], []],
    ["two models", [small, small, "--max-model-len=9999999"], []],
    ["overrides", [small, "--max-model-len=99999", "--hf-overrides", "{}"], []],
    ["another scaling", [small, "--max-model-len=99999", '--rope-scaling={"factor":4}'], []],
    ["a file of flags", [small, "--max-model-len=99999", "--config=/config.yaml"], []],
    ["a flag that does not exist", [small, "--max-model-len=99999", "--new-flag"], []],
    ["switches before", ["--enforce-eager", "--no-enable-prefix-caching", small, "--max-model-len=99999"], [3]],
    ["a switch with a value", ["--enable-chunked-prefill", "false", small, "--max-model-len=99999"], [3]],
    [
      "names before the model's flag",
      ["--served-model-name", "a", "b", "--model", small, "--max-model-len=99999"],
      [5],
    ],
    ["a key that is not printed", [small, "--api-key", "hunter2", "--max-model-len=99999"], [3]],
    ["unknown", [small, "--max-model-len", unknown], [`unknown ${arg(2)}`]],
    ["an unknown model", [unknown, "--max-model-len=99999"], [`unknown ${arg(0)}`]],
    ["an unknown word", [small, unknown], [`unknown ${arg(1)}`]],
    ["an unknown value of another flag", [small, "--api-key", unknown], []],
    ["unknown arguments", unknown, ["unknown spec.containers[0].args"]],
  ] as const)("%s", ([, args, expected]) => {
    const at = expected.map((one) => (typeof one === "number" ? `fail ${arg(one)}` : one));
    expect(say(server(args), {}, [group(1, { instanceTypes: ["p5.48xlarge"] })])).toEqual(at);
  });

  test.for([
    ["the variable", [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", value: "1" }], []],
    ["the variable of a Secret", [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", valueFrom: {} }], []],
    ["the variable with 0", [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", value: "0" }], [`fail ${arg(1)}`]],
    ["another variable", [{ name: "HF_HOME", value: "1" }], [`fail ${arg(1)}`]],
    ["an unknown name", [{ name: unknown, value: "1" }], ["unknown spec.containers[0].env[0].name"]],
    [
      "an unknown value",
      [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", value: unknown }],
      ["unknown spec.containers[0].env[0].value"],
    ],
  ] as const)("%s", ([, env, expected]) => {
    expect(say(server([small, "--max-model-len=40000"], { env }))).toEqual(expected);
  });

  test("variables of a ConfigMap may allow it", () => {
    expect(say(server([small, "--max-model-len=40000"], { envFrom: [{ configMapRef: { name: "a" } }] }))).toEqual([]);
  });
});

describe("command lines", () => {
  const long = "--max-model-len=40000";
  const bare = { image: "registry.example/own:1", ...limits(1) };
  const at = (path: string) => [`fail spec.containers[0].${path}`];
  test.for([
    ["vllm serve", { command: ["vllm", "serve", small, long] }, at("command[3]")],
    ["vllm with a path", { command: ["/opt/venv/bin/vllm", "serve"], args: [small, long] }, at("args[1]")],
    ["vllm in the arguments", { args: ["vllm", "serve", small, long] }, at("args[3]")],
    ["another command of vllm", { command: ["vllm", "bench", small, long] }, []],
    [
      "the module",
      { command: ["python3", "-m", "vllm.entrypoints.openai.api_server"], args: ["--model", small, long] },
      at("args[2]"),
    ],
    ["another module", { command: ["python3", "-m", "sglang.launch_server"], args: ["--model", small, long] }, []],
    ["another image", { args: ["--model", small, long] }, []],
    ["another engine", { image: "lmsysorg/sglang:v0.5", args: ["--model", small, long] }, []],
    [
      "the image with a digest",
      { image: `vllm/vllm-openai@sha256:${"0".repeat(64)}`, args: [small, long] },
      at("args[1]"),
    ],
    ["an unknown image", { image: unknown, args: [small, long] }, ["unknown spec.containers[0].image"]],
    ["a shell", { command: ["sh", "-c", `vllm serve ${small} ${long}`] }, at("command[2]")],
    [
      "a shell with arguments",
      { command: ["/bin/bash", "-lc"], args: [`exec vllm serve ${small} \\\n  ${long}`] },
      at("args[0]"),
    ],
    ["quotes", { command: ["sh", "-c", `vllm serve "${small}" '${long}'`] }, at("command[2]")],
    [
      "JSON in quotes",
      { command: ["sh", "-c", `vllm serve ${small} --override-generation-config '{"a":1}' ${long}`] },
      at("command[2]"),
    ],
    ["a variable", { command: ["sh", "-c", `vllm serve $MODEL ${long}`] }, []],
    ["two commands", { command: ["sh", "-c", `sleep 1; vllm serve ${small} ${long}`] }, []],
    ["a variable of Kubernetes", { command: ["vllm", "serve", "$(MODEL)", long] }, []],
    ["an unknown program", { command: [unknown, "serve", small, long] }, ["unknown spec.containers[0].command[0]"]],
    ["an unknown command", { command: unknown, args: [small, long] }, []],
    ["no command", {}, []],
  ] as const)("%s", ([, container, expected]) => {
    expect(say({ ...bare, ...container })).toEqual(expected);
  });

  test("the pods of every kind", () => {
    for (const [path, of] of everyKind({ containers: [server([small, long])] })) {
      expect(verdicts(rule, [of]), of.type).toEqual([`fail ${path}.containers[0].args[1]`]);
    }
  });

  test("each container, but no init container", () => {
    const bad = server([small, long]);
    const of = pod({ initContainers: [bad], containers: [{ image: "app:1" }, bad, bad] });
    expect(verdicts(rule, [of])).toEqual([1, 2].map((index) => `fail spec.containers[${index}].args[1]`));
  });

  test("the values of a chart are not judged", () => {
    const values = { modelSpec: { vllmConfig: { maxModelLen: 40_000 }, modelURL: small } };
    expect(verdicts(rule, [resource("kubernetes:helm.sh/v3:Release", { chart: "vllm-stack", values })])).toEqual([]);
  });

  test("no text of the program is printed", () => {
    const said = findings(rule, on(server(["--api-key=hunter2", small, long])));
    expect(JSON.stringify(said)).not.toContain("hunter2");
    expect(said[0]?.message).toContain("got 40000");
  });

  test("an exempt resource", () => {
    const policyConfig = { [rule.id]: { exempt: ["it"] } };
    expect(verdicts(rule, on(server([small, long])), { policyConfig })).toEqual([]);
  });
});

describe("ranks", () => {
  const limit = `spec.containers[0].resources.limits["${gpu}"]`;
  const nodes = [group(1, { instanceTypes: ["g5.48xlarge"] })];
  test.for([
    ["as many as GPUs", ["-tp", "2"], 2, []],
    ["one more", ["-tp", "2"], 1, [`fail ${limit}`]],
    ["one more, as texts", ["--tensor-parallel-size=2"], "1", [`fail ${limit}`]],
    ["stages", ["-tp=2", "-pp=2"], 2, [`fail ${limit}`]],
    ["enough for stages", ["-tp=2", "-pp=2"], 4, []],
    ["in other pods", ["-tp=2", "-pp=2", "--distributed-executor-backend=ray"], 2, []],
    ["no limit", ["-tp=2"], undefined, []],
    ["no whole limit", ["-tp=2"], "x", []],
    ["an unknown limit", ["-tp=2"], unknown, [`unknown ${limit}`]],
    ["an unknown number", ["-tp", unknown], 1, [`unknown ${arg(2)}`]],
    ["unknown stages", ["-pp", unknown], 1, [`unknown ${arg(2)}`]],
    ["heads that GPUs cannot share", ["-tp", "4"], 4, [`fail ${arg(2)}`]],
    ["more GPUs than ranks", ["-tp", "2"], 8, []],
  ] as const)("%s", ([, args, amount, expected]) => {
    expect(say(server([small, ...args], { ...limits(amount), ...shm }), {}, nodes)).toEqual(expected);
  });

  test("pods of one server", () => {
    for (const type of ["leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", "ray.io/v1:RayCluster"]) {
      const spec = { template: { spec: { containers: [server([small, "-tp=2"])] } } };
      expect(verdicts(rule, [resource(`kubernetes:${type}`, { spec })])).toEqual([]);
    }
    expect(say(server([small, "-tp=2"], { env: [{ name: "RAY_ADDRESS", value: "head:6379" }] }))).toEqual([]);
  });
});

describe("memory", () => {
  const path = `fail ${arg(0)}`;
  const nodes = (...instanceTypes: unknown[]) => [group(1, { instanceTypes })];
  test.for([
    ["the context of the model", [llama], nodes("g5.xlarge"), [path]],
    ["a shorter one", [llama, "--max-model-len=8192"], nodes("g5.xlarge"), []],
    ["on the boundary", [llama, "--max-model-len=32960"], nodes("g5.xlarge"), []],
    ["above the boundary", [llama, "--max-model-len=32961"], nodes("g5.xlarge"), [`fail ${arg(1)}`]],
    ["on a larger GPU", [llama], nodes("g6e.xlarge"), []],
    ["on one of two types", [llama], nodes("g5.xlarge", "g6e.xlarge"), []],
    ["on none of two types", [llama], nodes("g5.xlarge", "g4dn.xlarge"), [path]],
    ["on one of two groups", [llama], [...nodes("g5.xlarge"), group(1, { instanceTypes: ["p5.48xlarge"] }, "b")], []],
    ["on a type outside the table", [llama], nodes("g9.xlarge"), []],
    ["on an unknown type", [llama], nodes(unknown), ["unknown instanceTypes[0]"]],
    ["on a part of a GPU", [llama], nodes("g6f.large"), []],
    ["no nodes in the program", [llama], [], []],
    ["half of the memory", [small, "--gpu-memory-utilization=0.05"], nodes("g5.xlarge"), [path]],
    ["an unknown share", [llama, "--gpu-memory-utilization", unknown], nodes("g5.xlarge"), [`unknown ${arg(2)}`]],
    ["32 bits", [llama, "--dtype=float32"], nodes("g5.xlarge"), []],
    ["16 bits", [llama, "--dtype=half"], nodes("g5.xlarge"), [path]],
    ["an unknown type of data", [llama, "--dtype", unknown], nodes("g5.xlarge"), [`unknown ${arg(2)}`]],
    ["quantized", [llama, "--quantization=fp8"], nodes("g5.xlarge"), []],
    ["a smaller cache", [llama, "--kv-cache-dtype=fp8"], nodes("g5.xlarge"), []],
    ["memory of the CPU", [llama, "--cpu-offload-gb=20"], nodes("g5.xlarge"), []],
    ["adapters", [llama, "--enable-lora"], nodes("g5.xlarge"), []],
    ["stages", [llama, "-pp=1"], nodes("g5.xlarge"), [path]],
    ["a context before an extension", ["microsoft/Phi-4-mini-instruct"], nodes("g5.xlarge"), []],
    [
      "an extended context",
      ["microsoft/Phi-4-mini-instruct", "--max-model-len=128K"],
      nodes("g5.xlarge"),
      [`fail ${arg(1)}`],
    ],
    ["a model without a shape", ["google/gemma-3-27b-it"], nodes("g4dn.xlarge"), []],
  ] as const)("%s", ([, args, groups, expected]) => {
    expect(say(server(args), {}, [...groups])).toEqual(expected);
  });

  const type = (value: unknown) => ({ nodeSelector: { "node.kubernetes.io/instance-type": value } });
  const affinity = (...values: unknown[]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: values.map((value) => ({
            matchExpressions: [{ key: "karpenter.k8s.aws/instance-gpu-name", operator: "In", values: [value] }],
          })),
        },
      },
    },
  });
  test.for([
    ["a small type", type("g5.xlarge"), [path]],
    ["a large type", type("g6e.xlarge"), []],
    ["an unknown type", type(unknown), []],
    ["the name of a small GPU", { nodeSelector: { "karpenter.k8s.aws/instance-gpu-name": "a10g" } }, [path]],
    ["that of EKS", { nodeSelector: { "eks.amazonaws.com/instance-gpu-name": "t4" } }, [path]],
    ["the name of a large GPU", { nodeSelector: { "karpenter.k8s.aws/instance-gpu-name": "h100" } }, []],
    ["the product", { nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-A10G" } }, [path]],
    ["a label of the user", { nodeSelector: { tier: "gpu" } }, []],
    ["an affinity for small GPUs", affinity("a10g", "t4"), [path]],
    ["an affinity for small or large GPUs", affinity("a10g", "h100"), []],
    ["an unknown affinity", affinity(unknown), []],
  ] as const)("without nodes in the program: %s", ([, spec, expected]) => {
    expect(say(server([llama]), spec, [])).toEqual(expected);
  });

  test.for([
    ["a small type of the group", type("g5.xlarge"), [path]],
    ["a large type of the group", type("g6e.xlarge"), []],
    ["any type of the group", {}, []],
    ["nodes outside of the program", type("g4dn.xlarge"), [path]],
  ] as const)("of a group of two types: %s", ([, spec, expected]) => {
    expect(say(server([llama]), spec, nodes("g5.xlarge", "g6e.xlarge"))).toEqual(expected);
  });

  const pool = (...requirements: unknown[]) =>
    resource("kubernetes:karpenter.sh/v1:NodePool", { spec: { template: { spec: { requirements } } } }, { name: "p" });
  const families = (...values: string[]) => ({ key: "karpenter.k8s.aws/instance-family", operator: "In", values });
  const byGpu = { nodeSelector: { "karpenter.k8s.aws/instance-gpu-name": "a10g" } };
  test.for([
    ["small GPUs", [pool(families("g5"))], {}, [path]],
    ["also large GPUs", [pool(families("g5", "p5"))], {}, []],
    ["of which the pod selects small ones", [pool(families("g5", "p5"))], byGpu, [path]],
    [
      "that may have any GPU",
      [pool(families("g5")), pool({ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] })],
      {},
      [],
    ],
    ["without GPUs, and a group", [pool(families("m7i")), group(1)], {}, [path]],
  ] as const)("a pool with %s", ([, nodes, spec, expected]) => {
    expect(say(server([llama]), spec, [...nodes])).toEqual(expected);
  });

  test("the message names the instance, the reason and the fix", () => {
    const [said] = findings(rule, on(server([llama, "--max-model-len=60000"])));
    expect(said?.message).toMatchInlineSnapshot(`
      "spec.containers[0].args[1]: got 60000. vLLM does not start on g5.xlarge. A request of 60000 tokens needs 7.3 GiB of cache, and at most 4.0 GiB is left for it.
      fix: set the context to 27184 tokens at most, or use more or larger GPUs"
    `);
  });

  test("claims of devices give no verdict", () => {
    const resources = { limits: { [gpu]: 1 }, claims: [{ name: "gpu" }] };
    expect(say(server([llama], { resources }))).toEqual([]);
  });

  test("an image without a version has the settings that need least", () => {
    const args = [llama, "--max-model-len=39000"];
    expect(say(server(args))).toEqual([`fail ${arg(1)}`]);
    expect(say(server(args, { image: "vllm/vllm-openai:latest" }))).toEqual([]);
  });
});

describe("shared memory", () => {
  const mounts = "spec.containers[0].volumeMounts";
  const two = (more: object = {}) => server([small, "-tp=2"], { ...limits(2), ...more });
  const nodes = (name: string) => [group(1, { instanceTypes: [name] })];
  test.for([
    ["none on PCIe", two(), {}, "g5.12xlarge", [`fail ${mounts}`]],
    ["none with NVLink", two(), {}, "p5.48xlarge", [`advise ${mounts}`]],
    ["a volume", two(shm), {}, "g5.12xlarge", []],
    ["a volume with a slash", two({ volumeMounts: [{ name: "shm", mountPath: "/dev/shm/" }] }), {}, "g5.12xlarge", []],
    [
      "another volume",
      two({ volumeMounts: [{ name: "shm", mountPath: "/shm" }] }),
      {},
      "g5.12xlarge",
      [`fail ${mounts}`],
    ],
    ["that of the node", two(), { hostIPC: true }, "g5.12xlarge", []],
    ["not that of the node", two(), { hostIPC: false }, "g5.12xlarge", [`fail ${mounts}`]],
    ["one rank", server([small], limits(2)), {}, "g5.12xlarge", []],
    [
      "an unknown path",
      two({ volumeMounts: [{ name: "shm", mountPath: unknown }] }),
      {},
      "g5.12xlarge",
      [`unknown ${mounts}[0].mountPath`],
    ],
    ["unknown", two(), { hostIPC: unknown }, "g5.12xlarge", ["unknown spec.hostIPC"]],
  ] as const)("%s", ([, container, spec, name, expected]) => {
    expect(say(container, spec, nodes(name))).toEqual(expected);
  });

  test("unknown nodes", () => {
    expect(say(two(), {}, [])).toEqual([`advise ${mounts}`]);
    expect(say(two(), {}, [group(1, { instanceTypes: [unknown] })])).toEqual(["unknown instanceTypes[0]"]);
  });
});

describe("the variables of Services", () => {
  const links = "spec.enableServiceLinks";
  const service = (name: unknown, spec: object = {}, namespace: unknown = "lab") =>
    resource("kubernetes:core/v1:Service", { metadata: { name, namespace }, spec }, { name: "service" });
  test.for([
    ["the name vllm", service("vllm"), {}, {}, [`fail ${links}`]],
    ["another name", service("chat"), {}, {}, []],
    ["no name", service(undefined), {}, {}, []],
    ["another namespace", service("vllm", {}, "other"), {}, {}, []],
    ["no address", service("vllm", { clusterIP: "None" }), {}, {}, []],
    ["a name of DNS", service("vllm", { type: "ExternalName" }), {}, {}, []],
    ["off", service("vllm"), { enableServiceLinks: false }, {}, []],
    ["on", service("vllm"), { enableServiceLinks: true }, {}, [`fail ${links}`]],
    ["a port of the container", service("vllm"), {}, { env: [{ name: "VLLM_PORT", value: "8000" }] }, []],
    ["an unknown name", service(unknown), {}, {}, ["unknown metadata.name"]],
    ["an unknown namespace", service("vllm", {}, unknown), {}, {}, ["unknown metadata.namespace"]],
    ["unknown links", service("vllm"), { enableServiceLinks: unknown }, {}, [`unknown ${links}`]],
    ["an unknown address", service("vllm", { clusterIP: unknown }), {}, {}, ["unknown spec.clusterIP"]],
    ["a container with something else", service("vllm"), {}, { image: "app:1" }, []],
    ["flags that are not known", service("vllm"), {}, { args: ["--new-flag"] }, [`fail ${links}`]],
  ] as const)("%s", ([, of, spec, more, expected]) => {
    expect(say(server([small], more), spec, [of])).toEqual(expected);
  });
});

test.for([
  ["model-server", "on", {}, []],
  ["model-server", "on", { labStacks: [] }, [`fail ${arg(1)}`]],
  ["model-server", "off", {}, [`fail ${arg(1)}`]],
  ["gpu-rollout", "on", {}, [`fail ${arg(1)}`]],
] as const)("in the lab %s with its fault %s and %j", ([stack, fault, parameters, expected]) => {
  const config = { "eks-gpu-lab:fault": fault, "eks-gpu-lab:expires": "2026-11-28" };
  const now = new Date("2026-11-21T12:00:00Z");
  const options = { stack, now, config, policyConfig: { [rule.id]: parameters } };
  expect(verdicts(rule, on(server([small, "--max-model-len=99999"])), options)).toEqual(expected);
});
