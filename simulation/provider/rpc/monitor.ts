import { credentials, type ServiceError } from "@grpc/grpc-js";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/resource_pb";
import { valueAt } from "../../../components/core/reader/paths";
import { type Properties, unknownSentinel, unwrap } from "../../../components/core/wire";
import { within } from "../../../planner/diff/property-changes";
import { type ChildResource, type Monitor, type RegisteredResource, toWire } from "../eks/component";
import { fromStruct, toStruct } from "./messages";

/** Connects to the engine's resource monitor. */
export function connect(request: ConstructRequest): Monitor & { close(): void } {
  const client = new ResourceMonitorClient(request.getMonitorendpoint(), credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    // The engine runs on this machine, so no proxy is involved.
    "grpc.enable_http_proxy": 0,
  });
  const dryRun = request.getDryrun();
  const register = (registration: proto.RegisterResourceRequest) =>
    promisedCall<proto.RegisterResourceResponse>((done) => client.registerResource(registration, done));

  return {
    close: () => client.close(),

    async component() {
      return (await register(componentRegistration(request))).getUrn();
    },

    async resource(child) {
      const response = await register(childRegistration(child, request));
      const dependencies = response.getPropertydependenciesMap();
      // With --continue-on-error, what a failed create did not return is unknown, as in the SDK.
      const isOpen = dryRun || response.getResult() !== proto.Result.SUCCESS;
      return registered(response.getUrn(), response.getId(), fromStruct(response.getObject()), isOpen, (key) =>
        dependencies.get(key)?.getUrnsList(),
      );
    },

    async outputs(urn, state) {
      const outputs = new proto.RegisterResourceOutputsRequest().setUrn(urn).setOutputs(toStruct(state));
      await promisedCall((done) => client.registerResourceOutputs(outputs, done));
    },

    async existing(urn) {
      const invoke = new proto.ResourceInvokeRequest()
        .setTok("pulumi:pulumi:getResource")
        .setArgs(toStruct({ urn }))
        .setAcceptresources(true);
      const response = await promisedCall<{ getReturn(): ReturnType<ConstructRequest["getInputs"]> }>((done) =>
        client.invoke(invoke, done),
      );
      const { id, state } = fromStruct(response.getReturn()) as { id?: string; state?: Properties };
      return registered(urn, id ?? "", state ?? {}, dryRun);
    },
  };
}

function childRegistration(child: ChildResource, request: ConstructRequest): proto.RegisterResourceRequest {
  const [pkg = ""] = child.type.split(":");
  const registration = new proto.RegisterResourceRequest()
    .setType(child.type)
    .setName(child.name)
    .setParent(child.parent)
    .setCustom(true)
    .setVersion(child.version)
    .setProvider(request.getProvidersMap().get(pkg) ?? "")
    .setProtect(request.getProtect() === true)
    .setObject(toStruct(toWire(child.inputs)))
    .setIgnorechangesList([...(child.ignoreChanges ?? [])])
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setSupportspartialvalues(true)
    .setSupportsresultreporting(true)
    .setAliasspecs(true);
  const used = Object.entries(child.inputs).filter(([, { value }]) => value !== undefined);
  for (const [key, { dependencies }] of used) {
    const urns = new proto.RegisterResourceRequest.PropertyDependencies().setUrnsList([...dependencies]);
    registration.getPropertydependenciesMap().set(key, urns);
  }
  return registration.setDependenciesList([...new Set(used.flatMap(([, { dependencies }]) => dependencies))]);
}

function registered(
  urn: string,
  id: string,
  wire: Properties,
  isOpen: boolean,
  dependenciesOf: (key: string) => readonly string[] | undefined = () => [],
): RegisteredResource {
  const { properties, secretPaths } = unwrap(wire);
  return {
    urn,
    id,
    output(path) {
      const [key = ""] = path.split(".");
      return {
        value: valueAt(properties, path) ?? (isOpen ? unknownSentinel : undefined),
        secret: secretPaths.some((secret) => within(secret, key)),
        dependencies: [...new Set([urn, ...(dependenciesOf(key) ?? [])])],
      };
    },
  };
}

function promisedCall<Response>(
  call: (done: (error: ServiceError | null, response: Response) => void) => void,
): Promise<Response> {
  return new Promise((resolve, reject) =>
    call((error, response) => {
      if (error) reject(new Error(error.details));
      else resolve(response);
    }),
  );
}

/**
 * The registration of a component, with the options of the program. It has no inputs: the SDK that version 4.3 of
 * `@pulumi/eks` was built with sends none, so the state and policies see the arguments only in the children.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.173.0/sdk/nodejs/provider/server.ts
 */
function componentRegistration(request: ConstructRequest): proto.RegisterResourceRequest {
  const registration = new proto.RegisterResourceRequest()
    .setType(request.getType())
    .setName(request.getName())
    .setParent(request.getParent())
    .setCustom(false)
    .setDependenciesList(request.getDependenciesList())
    .setAliasesList(request.getAliasesList())
    .setAliasspecs(true)
    .setProtect(request.getProtect() === true)
    .setRetainondelete(request.getRetainondelete() === true)
    .setDeletedwith(request.getDeletedwith())
    .setIgnorechangesList(request.getIgnorechangesList())
    .setReplaceonchangesList(request.getReplaceonchangesList())
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setSupportspartialvalues(true)
    .setSupportsresultreporting(true);
  for (const [name, reference] of request.getProvidersMap().entries()) {
    registration.getProvidersMap().set(name, reference);
  }
  return registration;
}
