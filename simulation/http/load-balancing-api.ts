import type { ServiceApi } from "./account-server";
import { queryApi } from "./query";

/** The API of classic load balancers. The account has none, because the simulated cluster runs no controllers. */
export function elbApi(): ServiceApi {
  return queryApi("http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/", {
    DescribeLoadBalancers: () => ({ LoadBalancerDescriptions: [] }),
  });
}

/** The API of application and network load balancers. */
export function elbv2Api(): ServiceApi {
  return queryApi("http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/", {
    DescribeLoadBalancers: () => ({ LoadBalancers: [] }),
    DescribeTargetGroups: () => ({ TargetGroups: [] }),
  });
}
