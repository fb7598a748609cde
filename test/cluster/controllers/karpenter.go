package main

import (
	"sigs.k8s.io/controller-runtime/pkg/log"
	kwokapis "sigs.k8s.io/karpenter/kwok/apis"
	kwokprovider "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/apis"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"
)

// karpenter is the main function of sigs.k8s.io/karpenter/kwok.
func karpenter() {
	ctx, op := operator.NewOperator()
	instanceTypes, err := kwokprovider.ConstructInstanceTypes(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "failed constructing instance types")
	}
	bare := kwokprovider.NewCloudProvider(ctx, op.GetClient(), instanceTypes)
	cloudProvider := overlay.Decorate(bare, op.GetClient(), op.InstanceTypeStore)
	known := state.NewCluster(op.Clock, op.GetClient(), cloudProvider)
	all := controllers.NewControllers(
		ctx, op.Manager, op.Clock, op.GetClient(), op.EventRecorder, cloudProvider, bare, known, op.InstanceTypeStore,
	)
	op.WithControllers(ctx, all...).Start(ctx)
}

var karpenterObjects = []string{
	string(apis.NodePoolCRD), string(apis.NodeClaimCRD), string(apis.NodeOverlayCRD), string(apis.CapacityBufferCRD),
	string(kwokapis.KWOKNodeClassCRD),
}
