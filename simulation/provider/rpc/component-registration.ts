import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import * as proto from "@pulumi/pulumi/proto/resource_pb";

/**
 * The registration of a component for which a program asked, with the program's options. It has no inputs: the SDK that
 * version 4.3 of `@pulumi/eks` was built with sends none, so the state and policies see the arguments in the children only.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.173.0/sdk/nodejs/provider/server.ts
 */
export function componentRegistration(request: ConstructRequest): proto.RegisterResourceRequest {
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
