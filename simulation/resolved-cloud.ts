import { valueAt } from "../components/core/reader/paths";
import { withoutUndefined } from "../components/core/reader/records";
import type { Properties } from "../components/core/wire";
import { offlineCloud } from "../planner/record/offline-cloud";
import type { Cloud } from "../planner/record/record";
import { placeOf } from "./aws/account";
import { types } from "./aws/types";
import { createCloud } from "./create-cloud";
import type { Account, CloudObject } from "./cloud/model";
import type { SimulatedCloud } from "./cloud/simulated-cloud";
import { clusterInputs } from "./provider/eks/cluster";
import { clusterArguments } from "./provider/eks/cluster-arguments";
import { clusterOutputs, credentialsOf, kubeconfigFor } from "./provider/eks/cluster-outputs";
import { known, type RegisteredResource } from "./provider/eks/component";
import { checkInputs } from "./provider/resources/inputs";
import { outputsOf } from "./provider/resources/outputs";

/** A resource that the provider `eks` creates inside of its component, or the call of a function. */
interface ComponentChild {
  readonly type: string;
  readonly name: string;
  readonly inputs: Properties;
  /** Of an object that exists. @default a new one */
  readonly id?: string;
}

/** A cloud in which every resource exists at once: a plan has ids, ARNs and names instead of unknown values. */
export interface ResolvedCloud extends Cloud {
  /** @param resource with its region, if it is not the one of the stack */
  outputsOf(resource: Parameters<Cloud["outputsOf"]>[0] & { readonly region?: string | undefined }): Properties;
  readonly children: readonly ComponentChild[];
  /** The provider functions that the program called, with their arguments. */
  readonly calls: readonly ComponentChild[];
}

interface ResolvedResource extends RegisteredResource {
  readonly properties: Properties;
}

/** @param account overrides of the account: new, in the region, with a GPU quota that nothing exceeds */
export function resolvedCloud(region: string, account: Partial<Account> = {}): ResolvedCloud {
  const offline = offlineCloud(region);
  const home = createCloud({ account: { ...accountIn(region, account.accountId), ...account } });
  const children: ComponentChild[] = [];
  const calls: ComponentChild[] = [];
  return {
    ...{ children, calls },
    call: (token, args, invocation = { isAwaited: false }) => {
      calls.push({ type: token, name: "", inputs: args });
      const cloud = home.in(invocation.region ?? region);
      const found = cloud.call(token, args);
      if (!cloud.unsimulated.has(token)) return found;
      const answer = offline.call(token, args, invocation);
      return offline.unanswered.has(token) ? {} : answer;
    },
    outputsOf: (resource) => {
      const cloud = home.in(resource.region ?? region);
      if (resource.type === "eks:index:Cluster") return componentOutputs(cloud, resource, children);
      return resource.type.startsWith("aws:") ? propertiesOf(put(cloud, resource)) : offline.outputsOf(resource);
    },
  };
}

function accountIn(region: string, accountId = "123456789012") {
  const place = placeOf(region);
  return { ...place, caller: `arn:${place.partition}:iam::${accountId}:user/learner`, gpuVcpuQuota: 100_000 };
}

/** Creates an object without the checks of the API. */
function put(cloud: SimulatedCloud, { type, name, inputs: given, id: existing }: ComponentChild): CloudObject {
  const model = cloud.modelOf(type);
  const { inputs } = checkInputs(model, given, {}, { name, seed: new Uint8Array([1]), suffixLength: 7 });
  const request = { cloud, inputs, provider: {} };
  const id = existing ?? model.id(request, String(cloud.objects.length).padStart(17, "0"));
  const object = cloud.put({ type, id, inputs, computed: model.computed?.(request, id, undefined) ?? {} });
  model.afterChange?.({ ...request, object });
  return object;
}

const propertiesOf = (object: CloudObject): Properties => ({ ...outputsOf(object), id: object.id });

/** The outputs of the component `eks.Cluster`, whose children become part of the cloud. */
function componentOutputs(cloud: SimulatedCloud, { name, inputs }: ComponentChild, children: ComponentChild[]) {
  const create = (child: ComponentChild) => {
    children.push(child);
    return registered(put(cloud, child));
  };
  const args = clusterArguments(mapped(inputs, known));
  const role = clusterRole(cloud, name);
  const clusterOwn = mapped(clusterInputs(name, args, role.output("arn")), ({ value }) => value);
  const cluster = create({ type: types.cluster, name: `${name}-eksCluster`, inputs: withoutUndefined(clusterOwn) });
  const provider = {
    clientIdLists: ["sts.amazonaws.com"],
    url: cluster.output("identities.0.oidcs.0.issuer").value,
    thumbprintLists: ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"],
  };
  const oidcProvider = create({ type: types.openIdConnectProvider, name: `${name}-oidcProvider`, inputs: provider });
  const kubeconfig = kubeconfigFor(cluster, credentialsOf(args, undefined), false);
  const parts = { role, cluster, provider: role, oidcProvider };
  const { core, ...outputs } = mapped(clusterOutputs(args, parts, kubeconfig), ({ value }) => value);
  // The program has no resource that a reference could name, so it gets the properties.
  const referenced = {
    cluster: cluster.properties,
    oidcProvider: oidcProvider.properties,
    clusterIamRole: role.properties,
    provider: undefined,
  };
  return withoutUndefined({
    ...outputs,
    eksCluster: cluster.properties,
    core: withoutUndefined({ ...(core as Properties), ...referenced }),
  });
}

/** The role that only the control plane assumes. Without one in the program, the component creates its own. */
function clusterRole(cloud: SimulatedCloud, name: string): ResolvedResource {
  const roles = cloud.find(types.role);
  const role = roles.find(({ inputs }) => String(inputs["assumeRolePolicy"]).includes('"eks.amazonaws.com"'));
  return registered(role ?? put(cloud, { type: types.role, name: `${name}-eksRole-role`, inputs: {} }));
}

function registered(object: CloudObject): ResolvedResource {
  const properties = propertiesOf(object);
  const urn = `urn:pulumi:test::test::${object.type}::${object.id}`;
  return { urn, id: object.id, properties, output: (path) => known(valueAt(properties, path)) };
}

function mapped<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
