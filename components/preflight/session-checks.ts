import { lacksAddresses, subnetProblems } from "./address-rules";
import { gpuTypeCheck, passingText, quotaCheck } from "./node-checks";
import { permissionProblems, resourcePermissionWarnings } from "./permission-rules";
import type { PreflightCheck } from "./preflight-checks";
import type { NodeRequest } from "./preflight-facts";

/** The checks of a session that starts nodes in an existing node group: a problem means that nodes cannot start. */
export const sessionChecks: readonly PreflightCheck<NodeRequest>[] = [
  gpuTypeCheck,
  quotaCheck,
  {
    ...{ id: "subnet", title: "free addresses for GPU nodes", needs: ["gpuSubnet"], inPreview: false },
    problems: (request, facts) => (lacksAddresses(request, facts) ? subnetProblems(request, facts) : []),
    warnings: (request, facts) =>
      lacksAddresses(request, facts) ? [] : subnetProblems(request, facts).map(passingText),
  },
  {
    ...{ id: "permissions", title: "IAM permissions", needs: ["permissions"], inPreview: false },
    problems: permissionProblems,
    warnings: resourcePermissionWarnings,
  },
];
