import { all, any, not, Undetermined } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { awsCluster, clusterTypes, ownCluster } from "../../facts/clusters";
import { hasPublicBlock, shownPublicBlock } from "../../facts/network";

/**
 * EKS opens the public endpoint to everybody unless told otherwise, and takes an empty list for everybody as well.
 * The component's cluster always has the public endpoint.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
 */
export const clusterEndpointPublic = resourceRule({
  id: "cluster-endpoint-public",
  title: "The public endpoint of a cluster is open to stated addresses, not to the whole internet.",
  severity: "high",
  incident: "a module left the endpoint open by default, and the Kubernetes API of a lab answered the whole internet",
  types: clusterTypes,
  *judge(cluster) {
    const block = cluster.type === awsCluster ? cluster.at("vpcConfig") : cluster;
    const cidrs = block.list("publicAccessCidrs");
    const isPrivate = cluster.type !== ownCluster && block.boolean("endpointPublicAccess").is((isPublic) => !isPublic);
    const isOpen = any(
      cidrs.isAbsent,
      cidrs.is((items) => items.length === 0),
      hasPublicBlock(cidrs),
    );
    const judged = cluster.isEmpty ? new Undetermined([cidrs.path]) : all(not(isPrivate), isOpen);
    yield failIf(judged, () => ({
      path: cidrs.path,
      got: cidrs.value?.length === 0 ? "an empty list" : shownPublicBlock(cidrs),
      why: "Anybody on the internet can then try credentials and exploits on the Kubernetes API.",
      fix: `set ${cidrs.path} to your own addresses, x.x.x.x/32: curl -s https://checkip.amazonaws.com prints yours`,
    }));
  },
});
