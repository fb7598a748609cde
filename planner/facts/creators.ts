import { ownValue } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import type { AnalyzedResource, Unseen } from "../../policies/engine/resource";
import { publishedCharts } from "../../policies/facts/charts";
import { clusterCreators } from "../../policies/facts/cluster-creators";
import { chartReference } from "../../policies/facts/installed-chart";

const inKubernetes = ["kubernetes:"];
const inAws = ["aws:", "aws-native:"];
const byEngine = "run pulumi preview with the policy pack, which judges these resources";
const byHelm = "render the chart with helm template, and judge its objects with kubernetes.yaml.v2.ConfigFile";

/** What creates resources that are not part of a program, from its inputs. Undefined if it creates none. */
type Creator = (inputs: Readonly<Record<string, unknown>>) => Unseen | undefined;

const ofCluster = (why: string, fix: string) => () => ({ why, fix, types: inKubernetes });

/** Repositories of the community and of vendors without GPUs. Their charts are what their names say. */
const publicRepository =
  /(?:^|\W)(?!nvidia\b)[\w-]+\.github\.io\b|\bcharts\.(?:bitnami\.com|helm\.sh|jetstack\.io)\b|\bbitnamicharts\b|\bpublic\.ecr\.aws\b/;

/** A chart that is not rendered. Its values or its repository can tell that it has nothing for GPUs. */
const ofChart =
  (why: string, fix: string): Creator =>
  (inputs) => {
    const { chart, repositoryOpts, fetchOpts, values = {}, valueYamlFiles } = inputs;
    const place = JSON.stringify([chart, repositoryOpts, fetchOpts]);
    const { name } = chartReference(typeof chart === "string" ? chart : "");
    const isOther = publishedCharts.includes(name) || publicRepository.test(place);
    const isOpen = isUnknown(values) || valueYamlFiles !== undefined || /gpu|nvidia/i.test(JSON.stringify(values));
    const more =
      name === "gpu-operator" || (isOther && !isOpen) ? "" : ", and may contain the GPU Operator or GPU pods";
    return { why: `${why}${more}`, fix, types: inKubernetes };
  };

/**
 * A service that creates resources of AWS.
 *
 * @param keys where the template, or the type of the only resource, may be @default not in the plan
 */
function ofAws(service: string, ...keys: readonly string[]): Creator {
  return (inputs) => {
    const template = keys.map((key) => inputs[key]).find((one) => one !== undefined && !isUnknown(one));
    const types = template === undefined ? inAws : typesIn(template);
    return { why: `${service} creates resources during the update`, fix: "declare them in the program", types };
  };
}

/** What can create any resource of AWS: other templates, macros, and resources of third parties. */
const anything = /^(?!AWS::)|^AWS::(CloudFormation::(Stack|CustomResource)|ServiceCatalog::|Serverless::Application)/;
const macro = /Fn::Transform|AWS::Include|\bTransform"?\s*:[\s"'[-]*(?!AWS::)\w/;

/** How the types of the resources in a template start. A template of CloudFormation is JSON, YAML or an object. */
function typesIn(template: unknown): readonly string[] {
  const text = typeof template === "string" ? template : JSON.stringify(template);
  const kinds = [...text.matchAll(/(?:^|\bType"?\s*:\s*["']?)(\w+::\w+(?:::\w+)?(?:::MODULE)?)(?![\w:<])/g)].map(
    ([, kind = ""]) => kind,
  );
  if (macro.test(text) || kinds.some((kind) => anything.test(kind))) return inAws;
  const modules = kinds.map((kind) => kind.toLowerCase().split("::")[1] ?? "");
  return modules.flatMap((module) => inAws.map((start) => start + module));
}

/** Commands that create resources, and how their types start. */
const tools: readonly (readonly [command: RegExp, types: readonly string[]])[] = [
  [/\bkubectl\b[^|;&\n]*\s(apply|create|replace|run)\b|\bhelm\b[^|;&\n]*\s(install|upgrade)\b/, inKubernetes],
  [/\baws\s[^|;&\n]*\s(allocate|create|deploy|purchase|request|run)\b|\b(eksctl\s+create|(cdk|sam)\s+deploy)\b/, inAws],
  [/\b(terraform|tofu|terragrunt)\b[^|;&\n]*\sapply\b|\bpulumi\b[^|;&\n]*\sup\b/, [...inKubernetes, ...inAws]],
];

const ofCommand: Creator = ({ create, update }) => {
  const texts = [create, update].filter((text) => typeof text === "string");
  const isOpen = texts.some(isUnknown);
  const types = tools.flatMap(([command, starts]) =>
    isOpen || texts.some((text) => command.test(text)) ? starts : [],
  );
  const why = isOpen ? "its command is known only after the update" : "its command creates resources during the update";
  return types.length === 0 ? undefined : { why, fix: "declare what it creates in the program", types };
};

const awsCreators: readonly (readonly [creator: Creator, types: string])[] = [
  [ofAws("CloudFormation", "templateBody"), "aws:cloudformation/stack:Stack aws:cloudformation/stackSet:StackSet"],
  [ofAws("CloudFormation", "templateBody"), "aws-native:cloudformation:Stack aws-native:cloudformation:StackSet"],
  [ofAws("CloudFormation"), "aws:cloudformation/stackInstances:StackInstances"],
  [ofAws("CloudFormation"), "aws:cloudformation/stackSetInstance:StackSetInstance"],
  [ofAws("CloudFormation"), "aws:serverlessrepository/cloudFormationStack:CloudFormationStack"],
  [ofAws("Cloud Control", "typeName"), "aws:cloudcontrol/resource:Resource"],
  [ofAws("Cloud Control", "type"), "aws-native:index:ExtensionResource"],
  [ofAws("Elastic Beanstalk"), "aws:elasticbeanstalk/environment:Environment aws-native:elasticbeanstalk:Environment"],
  [ofAws("Service Catalog"), "aws:servicecatalog/provisionedProduct:ProvisionedProduct"],
  [ofAws("Service Catalog"), "aws-native:servicecatalog:CloudFormationProvisionedProduct"],
];

/** The only registry of what creates resources that a plan does not have, by type. */
const creators: Readonly<Record<string, Creator>> = {
  "kubernetes:helm.sh/v3:Release": ofChart("Helm creates the objects of its chart during the update", byHelm),
  "kubernetes:helm.sh/v3:Chart": ofChart("its chart is not rendered", byEngine),
  "kubernetes:helm.sh/v4:Chart": ofChart("its chart is not rendered", byEngine),
  ...Object.fromEntries(
    [...clusterCreators].map(([type, { controller }]) => {
      const why = `${controller} creates its objects in the cluster`;
      return [type, ofCluster(why, "judge its manifests in their repository")];
    }),
  ),
  ...Object.fromEntries(awsCreators.flatMap(([creator, types]) => types.split(" ").map((type) => [type, creator]))),
  "command:local:Command": ofCommand,
  "command:remote:Command": ofCommand,
};

/**
 * What a resource creates that a plan does not have. The parts of the library and of @pulumi/eks are known.
 *
 * @param unread of a component of YAML: what it does not show
 */
export function unseenOf(
  { type, urn, remote, properties }: AnalyzedResource,
  unread: readonly string[] | undefined,
): readonly Unseen[] {
  if (/[:$]eks:index:\w+\$|eks-gpu-lab:index:/.test(urn)) return [];
  if (unread) return unread.map((why) => ({ why, fix: byEngine, types: inKubernetes }));
  const creator = ownValue(creators, type);
  if (creator) return [creator(properties)].filter((one) => one !== undefined);
  return remote ? [{ why: `the provider of ${type} creates its resources during the update`, fix: byEngine }] : [];
}
