import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { dependenciesIn, unwrap } from "../../../components/core/wire";
import { within } from "../../cloud/changes";
import { type ComponentRequest, type Construct, type OutputValues, toWire } from "../eks/component";
import { fromStruct, toStruct } from "./messages";
import { connect } from "./monitor";

/** Handles the engine's request to construct a component. */
export function constructHandler(
  construct: Construct,
): (request: proto.ConstructRequest) => Promise<proto.ConstructResponse> {
  return async (request) => {
    const monitor = connect(request);
    try {
      const { urn, state } = await construct(componentRequestOf(request), monitor);
      const response = new proto.ConstructResponse().setUrn(urn).setState(toStruct(toWire(state)));
      for (const [key, { dependencies }] of Object.entries(state)) {
        const urns = new proto.ConstructResponse.PropertyDependencies().setUrnsList([...dependencies]);
        response.getStatedependenciesMap().set(key, urns);
      }
      return response;
    } finally {
      monitor.close();
    }
  };
}

function componentRequestOf(request: proto.ConstructRequest): ComponentRequest {
  return {
    type: request.getType(),
    name: request.getName(),
    inputs: inputsOf(request),
    dryRun: request.getDryrun(),
    config: Object.fromEntries(request.getConfigMap().entries()),
  };
}

function inputsOf(request: proto.ConstructRequest): OutputValues {
  const wire = fromStruct(request.getInputs());
  const { properties, secretPaths } = unwrap(wire);
  const dependencies = request.getInputdependenciesMap();
  const entries = Object.entries(properties).map(([key, value]) => [
    key,
    {
      value,
      secret: secretPaths.some((path) => within(path, key)),
      dependencies: [...new Set([...(dependencies.get(key)?.getUrnsList() ?? []), ...dependenciesIn(wire[key])])],
    },
  ]);
  return Object.fromEntries(entries) as OutputValues;
}
