import { html, type HtmlLabel } from "./dot/dot-syntax";
import type { Picture } from "./graph";
import { hasInternet, isStopped } from "./labels";
import { palette } from "./palette";

/** Explains the lines and boxes that this picture has, and no others; `undefined` when there is nothing to explain. */
export function legendLabel(picture: Picture): HtmlLabel | undefined {
  const has = (kind: string, state: string) => picture.paths.some((path) => path.kind === kind && path.state === state);
  const rows = [
    ...(picture.clusters.length > 0 && has("control-plane", "open")
      ? [line(palette.control.stroke, "control plane to nodes")]
      : []),
    ...(has("node-to-node", "open") ? [line(palette.nodeToNode, "node to node")] : []),
    ...(has("vpc-wide", "open") ? [line(palette.vpcWide, "any address of the VPC to nodes")] : []),
    ...(has("node-to-node", "blocked") ? [dashes(palette.blocked, "blocked: no rule lets it through")] : []),
    ...(hasInternet(picture) ? [line(palette.muted, "route to the internet")] : []),
    ...(picture.nodeGroups.some(isStopped) ? [box("dashed: not started, desired size 0")] : []),
  ];
  if (rows.length === 0) return undefined;
  return { html: `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">${rows.join("")}</TABLE>` };
}

function line(color: string, text: string): string {
  return row(
    `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD BGCOLOR="${color}" WIDTH="26" HEIGHT="3" FIXEDSIZE="TRUE"></TD></TR></TABLE>`,
    text,
  );
}

function dashes(color: string, text: string): string {
  const dash = `<TD BGCOLOR="${color}" WIDTH="6" HEIGHT="3" FIXEDSIZE="TRUE"></TD>`;
  return row(
    `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="0"><TR>${dash.repeat(3)}</TR></TABLE>`,
    text,
  );
}

function box(text: string): string {
  const style = `BORDER="1" STYLE="ROUNDED,DASHED" COLOR="${palette.plain.stroke}" WIDTH="26" HEIGHT="12" FIXEDSIZE="TRUE"`;
  return row(`<TABLE ${style} CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD></TD></TR></TABLE>`, text);
}

function row(sample: string, text: string): string {
  return `<TR><TD WIDTH="34">${sample}</TD><TD ALIGN="LEFT"><FONT POINT-SIZE="10" COLOR="${palette.muted}">${html(text)}</FONT></TD></TR>`;
}
