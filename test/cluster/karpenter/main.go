// Command karpenter runs Karpenter with its provider for KWOK, whose nodes are fake. It ends when its standard input ends,
// so that it does not outlive the process that started it. The first argument objects prints what a cluster needs: the
// definitions of the custom resources.
package main

import (
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/log"
	kwokapis "sigs.k8s.io/karpenter/kwok/apis"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/apis"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: karpenter karpenter|objects [flags]")
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	if part == "objects" {
		for _, definition := range [][]byte{
			apis.NodePoolCRD, apis.NodeClaimCRD, apis.NodeOverlayCRD, apis.CapacityBufferCRD, kwokapis.KWOKNodeClassCRD,
		} {
			fmt.Printf("%s\n", definition)
		}
		return
	}
	go endWithInput()
	run()
}

// run is the main function of sigs.k8s.io/karpenter/kwok.
func run() {
	ctx, op := operator.NewOperator()
	instanceTypes, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "failed constructing instance types")
	}
	bare := kwok.NewCloudProvider(ctx, op.GetClient(), instanceTypes)
	cloudProvider := overlay.Decorate(bare, op.GetClient(), op.InstanceTypeStore)
	cluster := state.NewCluster(op.Clock, op.GetClient(), cloudProvider)
	all := controllers.NewControllers(
		ctx, op.Manager, op.Clock, op.GetClient(), op.EventRecorder, cloudProvider, bare, cluster, op.InstanceTypeStore,
	)
	op.WithControllers(ctx, all...).Start(ctx)
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
