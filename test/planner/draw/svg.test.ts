import { describe, expect, test } from "vitest";
import { pictureOf } from "../../../planner/draw/picture";
import { partsOf } from "../../../planner/draw/parts";
import { palette } from "../../../planner/draw/palette";
import { svgOf } from "../../../planner/draw/svg";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { recordingOf, type ResourceSpec } from "../recordings";
import * as programs from "./programs";

const drawn = (specs: ResourceSpec[]): Promise<string> => svgOf(pictureOf(recordingOf(specs), "eu-west-1"));

/** The texts of a picture, in the order they are drawn. */
function texts(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) =>
    text
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, "&")
      .replaceAll("\u00a0", " ")
      .trim(),
  );
}

/** Where a text first stands. */
function place(svg: string, text: string): { x: number; y: number } {
  const [, x, y] = new RegExp(`x="([\\d.-]+)" y="([\\d.-]+)"[^>]*>${text}<`).exec(svg) ?? [];
  return { x: Number(x), y: Number(y) };
}

/** Tags that nest, attributes in quotes, no bare ampersand or angle bracket, no control character. */
function xmlErrors(svg: string): string[] {
  const errors: string[] = [];
  const open: string[] = [];
  const tag = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g;
  for (const [, closes, name = "", , empty] of svg.matchAll(tag)) {
    if (closes && open.pop() !== name) errors.push(`</${name}> closes nothing`);
    if (!closes && !empty) open.push(name);
  }
  const text = svg.replace(tag, "");
  if (open.length > 0) errors.push(`not closed: ${open.join(", ")}`);
  if (/[<>]/.test(text)) errors.push(`a bracket: ${/.{0,30}[<>].{0,30}/.exec(text)?.[0]}`);
  if (/&(?!(#\d+|lt|gt|amp|quot|apos);)/.test(svg)) errors.push("a bare ampersand");
  if (/[^\P{Cc}\n]/u.test(svg)) errors.push("a control character");
  return errors;
}

test("the check of the XML sees what is wrong", () => {
  expect(xmlErrors('<svg><g a="1"/><b></svg>&x <')).toEqual([
    "</svg> closes nothing",
    "not closed: svg",
    "a bracket: &x <",
    "a bare ampersand",
  ]);
});

test.for(Object.entries(programs))("%s has a dark counterpart of each color", async ([, specs]) => {
  const svg = await drawn(specs);
  const attributes = [...svg.matchAll(/ (?:fill|stroke)="(#\w+)"/g)].map(([, color]) => color);
  const missing = new Set(attributes.filter((color) => !svg.includes(`[fill="${color}"]{fill:`)));
  expect([...missing]).toEqual([]);
});

test.for(Object.entries(programs))("%s is drawn in well-formed XML", async ([, specs]) => {
  expect(xmlErrors(await drawn(specs))).toEqual([]);
});

describe("the lab", () => {
  test("shows all its parts, on a white ground, the same each time", async () => {
    const recording = await plan(() => labProgram({ operator: true }), { stack: "gpu-lab" });
    const svg = await svgOf(pictureOf(recording, "ap-northeast-2"));
    expect(xmlErrors(svg)).toEqual([]);
    expect(texts(svg)).toEqual(
      expect.arrayContaining([
        "gpu-lab",
        "Internet",
        "internet gateway",
        "VPC",
        "ap-northeast-2a",
        "ap-northeast-2b",
        "ap-northeast-2c",
        "public 192.168.0.0/22",
        "private 192.168.20.0/22",
        "NAT gateway",
        "myeks-ng-1",
        "t3.medium",
        "myeks-ng-gpu",
        "g5.xlarge, 1 x NVIDIA A10G",
        "desired 0, min 0, max 2",
        "GPU node 1",
        "GPU node 2",
        "NCCL",
        "tcp 1025-65535",
        "VPC-wide",
        "all ports from 192.168.0.0/16",
        "tcp 443, 4443, 6443, 8082, 8443, 9443, 10250, 10251",
        "EKS control plane",
        "GPU Operator: v26.3.1",
        "control plane to nodes",
        "dashed: desired size 0",
      ]),
    );
    expect(svg).toContain("<title>gpu-lab in ap-northeast-2</title>");
    expect(svg).toMatch(/<polygon fill="#ffffff"/);
    expect(await svgOf(pictureOf(recording, "ap-northeast-2"))).toBe(svg);
  });

  test("every text has the width of the layout, so that no font of a viewer overruns a box", async () => {
    const recording = await plan(() => labProgram({ operator: true }), { stack: "gpu-lab" });
    const svg = await svgOf(pictureOf(recording, "ap-northeast-2"));
    const texts = [...svg.matchAll(/<text [^>]*>/g)].map(([tag]) => tag);
    expect(texts.length).toBeGreaterThan(30);
    for (const tag of texts) expect(tag).toMatch(/ textLength="[\d.]+" lengthAdjust="spacingAndGlyphs"/);
    const lengthOf = (text: string) => Number(new RegExp(`textLength="([\\d.]+)"[^>]*>${text}<`).exec(svg)?.[1]);
    // Widths of Arial in em: space .278, N and C .722, L .556; bold: I .278, n .611, t .333, e .556, r .389.
    expect(lengthOf("Internet")).toBeCloseTo(11 * (0.278 + 2 * 0.611 + 2 * 0.333 + 2 * 0.556 + 0.389), 0);
    expect(lengthOf("\u00a0\u00a0NCCL\u00a0\u00a0")).toBeCloseTo(10 * (3 * 0.722 + 0.556 + 4 * 0.278), 0);
    expect(lengthOf(" &#160;&#160;ap-northeast-2")).toBeCloseTo(14 * (3 * 0.278 + 6.509), 0);
  });

  test.for([0, 1, 2])("zones are in order, with GPU nodes in zone %i or elsewhere", async (gpuZone) => {
    const svg = await svgOf(pictureOf(await plan(() => labProgram({ gpuZone })), "ap-northeast-2"));
    const columns = ["ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c"].map((zone) => place(svg, zone).x);
    expect(columns).toEqual([...columns].sort((a, b) => a - b));
  });

  test("the internet is at the top, then public subnets, private ones, and the control plane", async () => {
    const svg = await svgOf(pictureOf(await plan(() => labProgram()), "ap-northeast-2"));
    for (const [above, below] of [
      [0, 12],
      [4, 16],
      [8, 20],
    ] as const) {
      const rows = [
        "Internet",
        "internet gateway",
        `public 192.168.${above}.0/22`,
        `private 192.168.${below}.0/22`,
        "EKS control plane",
      ].map((text) => place(svg, text).y);
      expect(rows).toEqual([...rows].sort((a, b) => a - b));
    }
  });

  test("shows blocked NCCL in red and dashed, with its own legend", async () => {
    const svg = await svgOf(pictureOf(await plan(() => labProgram({ nccl: "blocked" })), "ap-northeast-2"));
    expect(texts(svg)).toEqual(
      expect.arrayContaining(["NCCL blocked", "no rule allows tcp 32768-60999", "blocked: no rule allows it"]),
    );
    expect(texts(svg)).not.toContain("VPC-wide");
    expect(svg).toMatch(/<path fill="none" stroke="#cf222e"[^>]*stroke-dasharray/);
  });
});

test("boxes become links by the ids of the picture, and their names stay text", async () => {
  const picture = pictureOf(recordingOf(programs.hostileNames), "eu-west-1");
  const links = partsOf(picture).flatMap(({ kind, boxes }) => boxes.map((box) => [box, `#"${kind}&`] as const));
  const svg = await svgOf(picture, new Map(links));
  expect(xmlErrors(svg)).toEqual([]);
  expect([...svg.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href?.replace(/&#\d+;/g, ""))).toEqual([
    "#VPC",
    "#subnet",
    "#node group",
    "#node group",
    "#node group",
  ]);
  expect(svg).not.toContain('role="img"');
});

test("names that are syntax elsewhere are only text here", async () => {
  const shown = texts(await drawn(programs.hostileNames));
  expect(shown).toContain("</TABLE> class x y");
  expect(shown.some((text) => text.startsWith('"]; end <b>&amp; %% #quot; "'))).toBe(true);
});

test("a gateway is above its public subnets also without a NAT gateway", async () => {
  const svg = await drawn([
    { type: "aws:ec2/vpc:Vpc", name: "vpc" },
    { type: "aws:ec2/internetGateway:InternetGateway", name: "igw", from: { vpcId: ["vpc"] } },
    { type: "aws:ec2/subnet:Subnet", name: "s", inputs: { mapPublicIpOnLaunch: true }, from: { vpcId: ["vpc"] } },
  ]);
  expect(place(svg, "internet gateway").y).toBeLessThan(place(svg, "public s").y);
});

test("ordinary nodes stand left of GPU nodes, whatever came first, and the control plane left of the legend", async () => {
  const svg = await drawn(programs.existingVpc);
  expect(place(svg, "system").x).toBeLessThan(place(svg, "GPU node 1").x);
  expect(place(svg, "GPU node 1").x).toBeLessThan(place(svg, "GPU nodes 2 to 8").x);
  expect(place(svg, "EKS control plane").x).toBeLessThan(place(svg, "node to node").x);
});

test("the legend explains only what there is", async () => {
  const shown = texts(await drawn(programs.existingVpc));
  expect(shown).toContain("existing VPC");
  expect(shown).not.toContain("route to the internet");
  expect(shown).not.toContain("dashed: desired size 0");
});

test("a program without network and cluster has a note instead of a diagram", async () => {
  expect(texts(await drawn(programs.bucketOnly))).toContain(
    "This program creates no VPC, no cluster and no node group.",
  );
});

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const { vpc, zone, public: open, private: closed, existing, gpu, control, plain } = palette;

test.for([
  ["text", palette.text, [vpc, zone, open, closed, existing, gpu, control, plain].map(({ fill }) => fill)],
  ["muted text", palette.muted, [palette.ground]],
  ["ports of the control plane", control.stroke, [palette.ground, vpc.fill]],
  ["NCCL", palette.nodeToNode, [palette.ground, gpu.fill, closed.fill]],
  ["VPC-wide", palette.vpcWide, [palette.ground, closed.fill]],
  ["blocked", palette.blocked, [palette.ground, gpu.fill, closed.fill]],
] as const)("%s can be read on every ground it stands on", ([, color, grounds]) => {
  for (const ground of grounds) expect(contrast(color, ground)).toBeGreaterThanOrEqual(4.5);
});
