import type { Kind } from "../../world/kind";
import { flowLog } from "./flow-log";
import { internetGateway } from "./internet-gateway";
import { eip, natGateway } from "./nat-gateway";
import { route } from "./route";
import { defaultRouteTable, routeTable, routeTableAssociation } from "./route-table";
import { subnet } from "./subnet";
import { vpcEndpoint } from "./vpc-endpoint";
import { vpc } from "./vpc";

export const networkKinds: readonly Kind[] = [
  vpc,
  subnet,
  internetGateway,
  eip,
  natGateway,
  routeTable,
  defaultRouteTable,
  route,
  routeTableAssociation,
  vpcEndpoint,
  flowLog,
];
