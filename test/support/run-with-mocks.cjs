// Runs stacks/index.ts the way the Pulumi CLI does, in its working directory and through Pulumi's own ts-node, against
// mocks; prints the types it registered. Argument: the stack's configuration as JSON.
const tsutils = require("@pulumi/pulumi/tsutils");
const { tsnodeRequire, typescriptRequire } = tsutils.typeScriptRequireStrings();
const compilerOptions = tsutils.loadTypeScriptCompilerOptions("tsconfig.json");
if (compilerOptions.noCheck !== true) throw new Error("stacks/tsconfig.json must set noCheck: Pulumi would type-check");
require(tsnodeRequire).register({
  compiler: typescriptRequire,
  transpileOnly: compilerOptions.noCheck,
  project: "tsconfig.json",
  compilerOptions,
});

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
  .then(() => pulumi.runtime.runInPulumiStack(() => require(process.cwd())()))
  .then(() => process.stdout.write(JSON.stringify(types)));
