// Runs the program of the working directory against mocks, and prints the types that it registers. Argument: the
// configuration of the stack as JSON.
const pulumi = require("@pulumi/pulumi");
const answers = {
  "aws:index/getAvailabilityZones:getAvailabilityZones": { names: ["us-east-1a", "us-east-1b", "us-east-1c"] },
};
const types = [];
pulumi.runtime.setAllConfig(JSON.parse(process.argv[2]));
pulumi.runtime
  .setMocks(
    {
      newResource: ({ type, inputs }) => (types.push(type), { id: undefined, state: inputs }),
      call: ({ token }) => answers[token] ?? {},
    },
    "eks-gpu-lab",
    "gpu-lab",
    true,
    "organization",
  )
  // The SDK's monitor of mocks knows no hooks.
  .then(() => Object.assign(pulumi.runtime.getMonitor(), { registerResourceHook: (_, done) => done(null, {}) }))
  .then(() => pulumi.runtime.runInPulumiStack(() => require(process.cwd())()))
  .then(() => process.stdout.write(JSON.stringify(types)));
