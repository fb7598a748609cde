import { all, any, equals, not } from "../../engine/values";
import { adviseAt, count, failAt, resourceRule } from "../../engine/rule";
import { isNodeClass, templateIn, templateTypes } from "../../facts/launch-templates";

/**
 * If the template sets no value, the AMI and the account decide, and the rule cannot read them. Karpenter requires a
 * token by default. Pods that must use the node role need 2 hops: raise `maxHopLimit` for them. AWS recommends 1 for
 * EKS nodes, and a separate role for each pod.
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
export const launchTemplateImdsv2 = resourceRule({
  id: "launch-template-imdsv2",
  title: "The instance metadata service requires a session token and answers only on the node itself.",
  severity: "high",
  incident:
    "a web application forwarded a request to the metadata service, which returned the credentials of the node role",
  types: templateTypes,
  parameters: {
    maxHopLimit: count(1, 1, "Largest number of network hops of a response. With 2, responses reach every pod."),
  },
  *judge(resource, { maxHopLimit }) {
    const template = templateIn(resource);
    const endpoint = template.choice("metadataOptions.httpEndpoint", ["enabled", "disabled"]);
    const tokens = template.choice("metadataOptions.httpTokens", ["required", "optional"]);
    const isSecure = any(equals(tokens, "required"), all(isNodeClass(resource), tokens.isAbsent));
    const hops = template.integer("metadataOptions.httpPutResponseHopLimit");
    const isFar = hops.is((limit) => limit > maxHopLimit);
    const isOn = not(equals(endpoint, "disabled"));
    yield failAt(tokens, all(isOn, not(isSecure)), {
      why: "Without a token, a forged request from any program on the node gets the credentials of the node role.",
      fix: `set ${tokens.path} to "required"`,
    });
    yield adviseAt(hops, all(isOn, isFar), {
      why: "Responses then reach pods, so every pod can use the node role.",
      fix: `set ${hops.path} to ${maxHopLimit}, and give each pod its own role with EKS Pod Identity`,
    });
  },
});
