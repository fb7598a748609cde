import { any, equals, some } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { templateIn, templateTypes } from "../../facts/launch-templates";

/**
 * Without a value, the setting of the subnet applies.
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/subnets.html
 */
export const launchTemplateNoPublicIp = resourceRule({
  id: "launch-template-no-public-ip",
  title: "Nodes have no public IP address.",
  severity: "high",
  incident: "nodes in a public subnet got public IP addresses, and the NodePort of a test was open to the internet",
  types: templateTypes,
  *judge(resource) {
    const template = templateIn(resource);
    const interfaces = template.list("networkInterfaces");
    const addresses = [
      ...(interfaces.value ?? []).map((one) => one.boolean("associatePublicIpAddress")),
      // Of a launch configuration, and in the spelling of Karpenter.
      ...["associatePublicIpAddress", "associatePublicIPAddress"].map((path) => template.boolean(path)),
    ];
    const isRequested = some(addresses, (address) => equals(address, true));
    const isOpen = interfaces.is(() => false);
    const first = addresses.find(({ value }) => value === true) ?? interfaces;
    yield failAt(first, any(isRequested, isOpen), {
      why: "Only a security group then separates the services on the node from the internet.",
      fix: `set ${first.path} to ${interfaces.value ? '"false"' : "false"}, and use a NAT gateway for outgoing traffic`,
    });
  },
});
