import * as vpc from "@pulumi/aws/vpc";

export function example(good: boolean) {
  new vpc.SecurityGroupIngressRule("grafana", {
    securityGroupId: "sg-0a1b2c3d",
    ipProtocol: "tcp",
    fromPort: 3000,
    toPort: 3000,
    // Meant for one laptop, but the dashboard is open to the whole internet.
    cidrIpv4: good ? "203.0.113.7/32" : "0.0.0.0/0",
  });
}
