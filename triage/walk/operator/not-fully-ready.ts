import type { Finding } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import type { DaemonSet } from "../../objects/workloads";
import { aboutCluster, podKey } from "../about";
import { isYoung } from "../age";
import { allStatuses, kubectlName, selects } from "../pods";
import { isReady as isNodeReady, nodeNamed, type Scene } from "../scene";
import { stated } from "../seen";
import { isReady, neighbours, podsOfSets } from "./plugin-daemonsets";

/**
 * The operator's DaemonSets beside the plugin's: nothing fails at once where one is not ready everywhere, and one can be
 * why the next does not start. `told`: pods that have a conclusion of their own.
 */
export function notFullyReady(scene: Scene, told: ReadonlySet<string>): Finding[] {
  if (!scene.operator) return [];
  return neighbours(scene)
    .filter((set) => !isYoung(set, scene.now))
    .flatMap((set) => {
      const unready = podsOfSets([set], scene).filter((pod) => !isReady(pod));
      const open = unready.filter(
        (pod) => !isExcused(nodeNamed(scene, pod.spec.nodeName), scene) && !told.has(podKey(pod)),
      );
      const excused = scene.sees("pods") ? unready.length - open.length : excusingNodes(set, scene).length;
      const { desiredNumberScheduled: desired, numberReady: ready } = set.status;
      return desired - ready > excused ? [findingOf(set, open)] : [];
    });
}

/** The node is new or down, which says enough. */
function isExcused(node: Node | undefined, { now }: Scene): boolean {
  return node !== undefined && (isYoung(node, now) || !isNodeReady(node));
}

/** Such nodes of a DaemonSet, where its pods could not be read. */
function excusingNodes({ spec }: DaemonSet, scene: Scene): readonly Node[] {
  const { nodes } = scene.dump.objects;
  return nodes.filter((node) => isExcused(node, scene) && selects(spec.template.spec, node));
}

function findingOf({ metadata, status }: DaemonSet, unready: readonly Pod[]): Finding {
  const { name, namespace = "" } = metadata;
  const { desiredNumberScheduled: desired, numberReady: ready } = status;
  return {
    id: "operator-daemonset-not-ready",
    ...aboutCluster(`daemonset ${namespace}/${name}`),
    nodes: unready.flatMap(({ spec }) => spec.nodeName ?? []),
    pods: unready.map(podKey),
    level: "notice",
    sure: "certain",
    what: `A part of the operator is ready on ${ready} of ${desired} nodes that it is meant for.`,
    evidence: [
      {
        object: kubectlName("daemonset", metadata),
        field: "status.numberReady, desiredNumberScheduled",
        value: `${ready}, ${desired}`,
      },
      ...unready.slice(0, 3).map((pod) => ({
        object: kubectlName("pod", pod.metadata),
        field: "status.phase, containers that are not ready",
        value: stated(pod.status.phase, ...notReady(pod)),
      })),
    ],
    next: [
      {
        why: "How its pods stand, and which init container they wait in",
        command: `kubectl -n ${namespace} get pods -o wide | grep ${name}-`,
      },
    ],
  };
}

/** An init container that has done its work is ready. */
function notReady(pod: Pod): string[] {
  return allStatuses(pod)
    .filter(({ ready }) => !ready)
    .map(({ name, state }) => `${name}${state.waiting?.reason === undefined ? "" : ` (${state.waiting.reason})`}`);
}
