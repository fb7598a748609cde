import { some } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";

/**
 * A template that says nothing follows the subnet's setting.
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/subnets.html
 */
export const launchTemplateNoPublicIp = resourceRule({
  id: "launch-template-no-public-ip",
  title: "Nodes have no public address.",
  severity: "high",
  incident: "nodes in a public subnet got public addresses, and a NodePort of a test stood open to the internet",
  types: [launchTemplate],
  *judge(template) {
    const interfaces = template.list("networkInterfaces");
    const addresses = interfaces.value?.map((one) => one.boolean("associatePublicIpAddress")) ?? [];
    const isAsked = interfaces.is(() => some(addresses, (address) => address.is((wanted) => wanted)));
    yield failIf(isAsked, () => {
      const { path, shown } = addresses.find(({ value }) => value === true) ?? interfaces;
      return {
        path,
        got: shown,
        why: "Whatever listens on the node is then one security group away from the internet.",
        fix: `set ${path} to "false", and reach the internet through a NAT gateway`,
      };
    });
  },
});
