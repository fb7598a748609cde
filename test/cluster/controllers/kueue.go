package main

import (
	"context"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueueapi "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/job"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/pod"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/statefulset"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/dra"
	"sigs.k8s.io/kueue/pkg/metrics"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

// manager is a Kueue that is set up step by step, as in the main function of sigs.k8s.io/kueue/cmd/kueue.
type manager struct {
	ctrl.Manager
	config    configapi.Configuration
	cache     *schdcache.Cache
	queues    *qcache.Manager
	expected  *expectations.Store
	formatter *resources.ResourceFormatter
}

// kueue runs the controllers, the webhooks and the scheduler for Jobs, pods and StatefulSets. It has no MultiKueue, no
// provisioning requests, no visibility server, and no simulation of the scheduler. The argument is the configuration file.
func kueue() {
	ctrl.SetLogger(zap.New())
	ctx := ctrl.SetupSignalHandler()
	k := newManager(os.Args[1])
	k.index(ctx)
	must(k.AddHealthzCheck("healthz", healthz.Ping))
	must(k.AddReadyzCheck("readyz", k.GetWebhookServer().StartedChecker()))
	k.control(ctx)
	go k.queues.CleanUpOnContext(ctx)
	go k.cache.CleanUpOnContext(ctx)
	must(k.Add(scheduler.New(
		k.queues, k.cache, k.GetClient(), k.GetEventRecorder(constants.AdmissionName),
		scheduler.WithPodsReadyRequeuingTimestamp(*k.config.WaitForPodsReady.RequeuingStrategy.Timestamp),
		scheduler.WithQuotaCheckStrategy(*k.config.Resources.QuotaCheckStrategy),
		scheduler.WithPreemptionExpectations(k.expected),
		scheduler.WithResourceFormatter(k.formatter),
	)))
	must(k.Start(ctx))
}

func newManager(file string) *manager {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, schedulingv1.AddToScheme, resourceapi.AddToScheme,
		kueueapi.AddToScheme, kueuev1beta1.AddToScheme, configapi.AddToScheme,
	} {
		must(add(scheme))
	}
	options, cfg, err := config.Load(scheme, file)
	must(err)
	must(config.LoadAndValidateFeatureGates("MultiKueue=false", cfg.FeatureGates).ToAggregate())
	must(config.Validate(&cfg, scheme).ToAggregate())
	must(config.AddWebhookSettingsTo(&options, &cfg))
	metrics.Register()
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	must(err)
	k := &manager{
		Manager: mgr, config: cfg, expected: preemptexpectations.New(), formatter: resources.NewResourceFormatter(),
	}
	requeuer := qcache.NewRequeuer()
	must(mgr.Add(requeuer))
	k.cache = schdcache.New(mgr.GetClient(), schdcache.WithResourceFormatter(k.formatter))
	k.queues = qcache.NewManager(
		mgr.GetClient(), k.cache, requeuer,
		qcache.WithPodsReadyRequeuingTimestamp(*cfg.WaitForPodsReady.RequeuingStrategy.Timestamp),
		qcache.WithResourceFormatter(k.formatter), qcache.WithPreemptionExpectations(k.expected),
	)
	return k
}

func (k *manager) index(ctx context.Context) {
	must(indexer.Setup(ctx, k.GetFieldIndexer()))
	must(tasindexer.SetupIndexes(ctx, k.GetFieldIndexer()))
	must(jobframework.SetupIndexes(
		ctx, k.GetFieldIndexer(), jobframework.WithEnabledFrameworks(k.config.Integrations.Frameworks),
	))
}

func (k *manager) control(ctx context.Context) {
	client, err := discovery.NewDiscoveryClientForConfig(k.GetConfig())
	must(err)
	version := kubeversion.NewServerVersionFetcher(client)
	must(version.FetchServerVersion())
	namespaces, err := metav1.LabelSelectorAsSelector(k.config.ManagedJobsNamespaceSelector)
	must(err)
	failed, err := core.SetupControllers(k, k.queues, k.cache, &k.config, core.SetupControllersOpts{
		PreemptionExpectations: k.expected, ResourceFormatter: k.formatter,
		DRAMapper: dra.NewResourceMapper(), DRABackedResources: dra.NewExtendedResourceCache(),
	})
	must(err, failed)
	failed, err = tas.SetupControllers(k, k.queues, k.cache, &k.config, nil)
	must(err, failed)
	must(jobframework.SetupControllers(
		ctx, k, ctrl.Log,
		jobframework.WithManageJobsWithoutQueueName(k.config.ManageJobsWithoutQueueName),
		jobframework.WithWaitForPodsReady(k.config.WaitForPodsReady),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithEnabledFrameworks(k.config.Integrations.Frameworks),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithManagedJobsNamespaceSelector(namespaces),
		jobframework.WithCache(k.cache), jobframework.WithQueues(k.queues),
	))
	failed, err = webhooks.Setup(k, nil)
	must(err, failed)
}

// must ends the program at an error of a part.
func must(err error, part ...string) {
	if err == nil {
		return
	}
	ctrl.Log.Error(err, "Kueue cannot start", "part", part)
	os.Exit(1)
}
