import { any, equals, not, Undetermined } from "../../engine/values";
import { failAt, resourceRule, texts } from "../../engine/rule";
import { clusterTypes, ownCluster } from "../../facts/clusters";

/**
 * By default, the component writes the logs api, audit and scheduler.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
 */
export const clusterLogging = resourceRule({
  id: "cluster-logging",
  title: "A cluster writes the control plane logs that show why a pod was not scheduled.",
  severity: "low",
  incident: "a module logged api, audit and authenticator, so there was no scheduler log for a Pending GPU pod",
  types: clusterTypes,
  parameters: {
    required: texts(
      ["api", "scheduler"],
      "Control plane logs that a cluster must write: any of api, audit, authenticator, controllerManager, scheduler.",
      {
        pattern: "^(api|audit|authenticator|controllerManager|scheduler)$",
        of: "api, audit, authenticator, controllerManager, scheduler",
      },
    ),
  },
  *judge(cluster, { required }) {
    const isOwn = cluster.type === ownCluster;
    const logs = cluster.list(isOwn ? "controlPlaneLogs" : "enabledClusterLogTypes");
    const none = !isOwn && required.length > 0 && (cluster.isEmpty ? new Undetermined([logs.path]) : logs.isAbsent);
    const lacks = (type: string) => logs.is((items) => not(any(...items.map((item) => equals(item.text(), type)))));
    const lacking = required.map((type) => ({ type, isLacking: lacks(type) }));
    const missing = lacking.filter(({ isLacking }) => isLacking === true).map(({ type }) => type);
    const wanted = (missing.length > 0 ? missing : required).join(", ");
    yield failAt(logs, any(none, ...lacking.map(({ isLacking }) => isLacking)), {
      got: logs.isAbsent === true ? "nothing" : `a list without ${wanted}`,
      why: "Without logs, only Kubernetes events show what the control plane did, and they expire after an hour.",
      fix: `add ${wanted} to ${logs.path}`,
    });
  },
});
