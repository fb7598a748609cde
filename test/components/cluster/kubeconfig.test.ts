import { expect, test } from "vitest";
import { serverOf, withProfile } from "../../../components/cluster/eks-cluster";

const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args: ["eks", "get-token"] };
const kubeconfig = {
  apiVersion: "v1",
  clusters: [{ name: "kubernetes", cluster: { server: "https://ABC.eks.amazonaws.com" } }],
  users: [{ name: "aws", user: { exec } }],
};
const json = JSON.stringify(kubeconfig);

test("the server is the cluster's", () => expect(serverOf(json)).toBe("https://ABC.eks.amazonaws.com"));

test("a kubeconfig without a cluster has no server", () => expect(serverOf('{"clusters":[]}')).toBe(""));

test("without a profile the kubeconfig stays as it is", () => expect(withProfile(json, undefined)).toBe(json));

test("a profile is one more argument of the token command, and nothing else changes", () => {
  expect(JSON.parse(withProfile(json, "lab"))).toEqual({
    ...kubeconfig,
    users: [{ name: "aws", user: { exec: { ...exec, args: ["eks", "get-token", "--profile", "lab"] } } }],
  });
});
