import { all, not } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import { adviseIf, failIf, resourceRule } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";

/**
 * A template that says nothing leaves it to the AMI and the account, which nobody sees here. Pods that have to act as
 * the node need 2 hops: then raise `maxHopLimit`. AWS recommends 1 for nodes of EKS, and roles of their own for pods.
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
export const launchTemplateImdsv2 = resourceRule({
  id: "launch-template-imdsv2",
  title: "The metadata service of nodes wants a session token, and answers to nobody beyond the node.",
  severity: "high",
  incident: "a request that a web application passed on read the node role's credentials from the metadata service",
  types: [launchTemplate],
  parameters: { maxHopLimit: count(1, 1, "Most network hops of an answer; 2 reach every pod.") },
  *judge(template, { maxHopLimit }) {
    const endpoint = template.choice("metadataOptions.httpEndpoint", ["enabled", "disabled"]);
    const tokens = template.choice("metadataOptions.httpTokens", ["required", "optional"]);
    const hops = template.integer("metadataOptions.httpPutResponseHopLimit");
    const isOn = not(endpoint.is((word) => word === "disabled"));
    yield failIf(all(isOn, not(tokens.is((word) => word === "required"))), () => ({
      path: tokens.path,
      got: tokens.shown,
      why: "Without a token, any request that a program is tricked into sending gets the credentials of the node role.",
      fix: `set ${tokens.path} to "required"`,
    }));
    yield adviseIf(
      all(
        isOn,
        hops.is((limit) => limit > maxHopLimit),
      ),
      () => ({
        path: hops.path,
        got: hops.shown,
        why: "Answers then reach pods, and every pod can act as the node.",
        fix: `set ${hops.path} to ${maxHopLimit}, and give pods roles of their own by Pod Identity`,
      }),
    );
  },
});
