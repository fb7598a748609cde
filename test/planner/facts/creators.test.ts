import { expect, test } from "vitest";
import { packs } from "../../../policies/packs";
import { unseenOf } from "../../../planner/facts/creators";
import { judge, unseenRule } from "../../../policies/engine/judge";
import { resource, unknown, urnOf } from "../../policies/support/verdicts";

const template = (...kinds: string[]) => ({
  Resources: Object.fromEntries(kinds.map((Type, index) => [`R${index}`, { Type, Properties: {} }])),
});
const json = (...kinds: string[]) => JSON.stringify(template(...kinds));
const stack = "aws:cloudformation/stack:Stack";
const command = "command:local:Command";

/** What a plan says of a resource that creates others, if a rule could judge what it creates. */
function unseen(type: string, properties: Record<string, unknown>, urn = urnOf(type, "x")): string[] {
  const given = { ...resource(type, properties), urn };
  const findings = judge(packs.lab, [{ ...given, unseen: unseenOf(given, undefined) }]);
  return findings.filter(({ rule }) => rule === unseenRule).map(({ message }) => message);
}

test.for([
  ["a template with an instance", stack, { templateBody: json("AWS::EC2::Instance") }],
  ["a template as YAML", stack, { templateBody: "Resources:\n  A:\n    Type: AWS::EKS::Nodegroup\n" }],
  ["a template with functions in YAML", stack, { templateBody: "Resources: {A: {Type: 'AWS::IAM::Role', X: !Ref y}}" }],
  ["a template that contains another", stack, { templateBody: json("AWS::CloudFormation::Stack") }],
  ["a template with a custom resource", stack, { templateBody: json("Custom::AWSCDK-EKS-Cluster") }],
  ["a template with a resource of a third party", stack, { templateBody: json("AWSQS::EKS::Cluster") }],
  ["a template with a macro", stack, { templateBody: `Transform: Mine\nResources: {A: {Type: AWS::SNS::Topic}}` }],
  ["a template that includes a file", stack, { templateBody: `{"Fn::Transform":{"Name":"AWS::Include"}}` }],
  ["a template elsewhere", stack, { templateUrl: "https://s3.amazonaws.com/x/y.json" }],
  ["an unknown template", stack, { templateBody: unknown }],
  ["a template as an object", "aws-native:cloudformation:Stack", { templateBody: template("AWS::EC2::Instance") }],
  ["a stack set", "aws:cloudformation/stackSet:StackSet", { templateBody: json("AWS::EC2::Instance") }],
  ["an instance of a stack set", "aws:cloudformation/stackSetInstance:StackSetInstance", { stackSetName: "x" }],
  ["a product", "aws:servicecatalog/provisionedProduct:ProvisionedProduct", { productName: "gpu-box" }],
  ["an application of SAM", "aws:serverlessrepository/cloudFormationStack:CloudFormationStack", {}],
  ["an environment of Elastic Beanstalk", "aws:elasticbeanstalk/environment:Environment", {}],
  ["Cloud Control", "aws:cloudcontrol/resource:Resource", { typeName: "AWS::EC2::Instance", desiredState: "{}" }],
  ["an extension of aws-native", "aws-native:index:ExtensionResource", { type: "AWS::EKS::Nodegroup" }],
  ["kubectl", command, { create: "kubectl --context a apply -f https://example.org/x.yaml" }],
  ["helm in a list of commands", command, { create: "helm repo add n u && helm upgrade --install op n/gpu-operator" }],
  ["the AWS CLI", command, { create: "aws ec2 --region eu-west-1 run-instances --instance-type p5.48xlarge" }],
  ["eksctl", "command:remote:Command", { create: "eksctl create nodegroup -f ng.yaml" }],
  ["Terraform in an update", command, { create: "true", update: "terraform -chdir=x apply -auto-approve" }],
  ["an unknown command", command, { create: unknown }],
] as const)("%s is not seen", ([, type, properties]) => {
  expect(unseen(type, properties)).toEqual([expect.stringMatching(/^cannot be judged by [1-9]\d* rules: .+\nfix: .+/)]);
});

test.for([
  ["a template with other resources", stack, { templateBody: json("AWS::SNS::Topic", "AWS::Lambda::Function") }],
  [
    "SAM with functions",
    stack,
    { templateBody: `Transform: AWS::Serverless-2016-10-31\nResources: {A: {Type: AWS::SQS::Queue}}` },
  ],
  ["the type of a parameter", stack, { templateBody: `Parameters: {A: {Type: "AWS::EC2::VPC::Id"}}` }],
  [
    "a parameter of Systems Manager",
    stack,
    { templateBody: `Parameters: {A: {Type: "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>"}}` },
  ],
  ["Cloud Control for a log group", "aws:cloudcontrol/resource:Resource", { typeName: "AWS::Logs::LogGroup" }],
  ["a command that prints", command, { create: "echo kubectl" }],
  ["a command that reads", command, { create: "kubectl get pods | grep create" }],
  ["a kubeconfig", command, { create: "aws eks update-kubeconfig --name shop; helm repo add a b" }],
  ["a plan of Terraform", command, { create: "terraform plan" }],
  ["another command", "command:local:Command", {}],
] as const)("%s hides nothing", ([, type, properties]) => {
  expect(unseen(type, properties)).toEqual([]);
});

test("the CloudFormation stack of a NodeGroup of @pulumi/eks is known", () => {
  const urn = urnOf(`mine:index:Team$eks:index:NodeGroup$${stack}`, "gpu-nodes");
  expect(unseen(stack, { templateBody: json("AWS::AutoScaling::AutoScalingGroup") }, urn)).toEqual([]);
});

const repo = (repo: string) => ({ repositoryOpts: { repo } });

test.for([
  ["a chart in a folder", { chart: "./charts/platform" }, true],
  ["a chart of an own registry", { chart: "oci://registry.example.com/charts/platform" }, true],
  ["a chart of an own repository", { chart: "platform", ...repo("https://charts.example.com") }, true],
  ["a chart with an unknown name", { chart: unknown }, true],
  ["a chart of NVIDIA that no rule knows", { chart: "nim-llm", ...repo("https://helm.ngc.nvidia.com/nim") }, true],
  ["a chart of NVIDIA on GitHub", { chart: "x", ...repo("https://nvidia.github.io/x") }, true],
  ["values for GPUs", { chart: "ollama", ...repo("https://otwld.github.io/o"), values: { gpu: { on: true } } }, true],
  ["unknown values", { chart: "ollama", ...repo("https://otwld.github.io/o"), values: unknown }, true],
  ["values in files", { chart: "ollama", ...repo("https://otwld.github.io/o"), valueYamlFiles: [{}] }, true],
  ["a chart of a public repository", { chart: "x", ...repo("https://kubernetes-sigs.github.io/x"), values: {} }, false],
  ["a chart of a public registry", { chart: "oci://registry-1.docker.io/bitnamicharts/nginx" }, false],
  ["a v3 Chart", { chart: "nginx", fetchOpts: { repo: "https://charts.bitnami.com/bitnami" } }, false],
  ["a chart that the rules know", { chart: "karpenter" }, false],
  ["the GPU Operator", { chart: "nvidia/gpu-operator", values: { driver: { enabled: true } } }, false],
] as const)("%s may have something for GPUs", ([, inputs, isOpen]) => {
  for (const type of ["helm.sh/v3:Release", "helm.sh/v3:Chart", "helm.sh/v4:Chart"]) {
    const [message, ...others] = unseen(`kubernetes:${type}`, inputs);
    expect(others).toEqual([]);
    expect(/, and may contain the GPU Operator or GPU pods\n/.test(message ?? "")).toBe(isOpen);
  }
});
