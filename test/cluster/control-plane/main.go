// Command control-plane runs one part of a Kubernetes control plane: etcd, kube-apiserver, kube-scheduler or
// kube-controller-manager, named by the first argument. A part ends when its standard input ends, so that it does not
// outlive the process that started it, however that process ends. The first argument kubectl runs kubectl.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|kube-controller-manager|kube-scheduler [flags]")
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	if part == "kubectl" {
		os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand()))
	}
	go endWithInput()
	if part == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, known := commands[part]
	if !known {
		fmt.Fprintf(os.Stderr, "unknown part: %s\n", part)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
