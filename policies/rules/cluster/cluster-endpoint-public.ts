import { all, any, equals, not, Undetermined } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { awsCluster, clusterTypes, ownCluster } from "../../facts/clusters";
import { hasPublicBlock, shownPublicBlock } from "../../facts/network";

/**
 * By default, and with an empty list, EKS opens the public endpoint to the whole internet. The component always has a
 * public endpoint.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
 */
export const clusterEndpointPublic = resourceRule({
  id: "cluster-endpoint-public",
  title: "The public endpoint of a cluster is open to listed addresses only.",
  severity: "high",
  incident: "a module left the endpoint open by default, so the Kubernetes API of a lab was open to the whole internet",
  types: clusterTypes,
  *judge(cluster) {
    const block = cluster.type === awsCluster ? cluster.at("vpcConfig") : cluster;
    const cidrs = block.list("publicAccessCidrs");
    const isPrivate = cluster.type !== ownCluster && equals(block.boolean("endpointPublicAccess"), false);
    const isEmpty = cidrs.is(({ length }) => length === 0);
    const isOpen = any(cidrs.isAbsent, isEmpty, hasPublicBlock(cidrs));
    const judged = cluster.isEmpty ? new Undetermined([cidrs.path]) : all(not(isPrivate), isOpen);
    yield failAt(cidrs, judged, {
      got: isEmpty === true ? "an empty list" : shownPublicBlock(cidrs),
      why: "Everyone on the internet can then try credentials and exploits against the Kubernetes API.",
      fix: `set ${cidrs.path} to your own addresses, such as x.x.x.x/32: curl -s https://checkip.amazonaws.com prints yours`,
    });
  },
});
