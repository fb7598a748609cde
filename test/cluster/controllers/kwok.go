package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/kustomize/crd"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
)

// kwokObjects are the definition of stages, and the fast stages of the release.
var kwokObjects = []string{
	string(crd.Stage), nodefast.DefaultNodeInit, heartbeat.DefaultNodeHeartbeatWithLease,
	podfast.DefaultPodReady, podfast.DefaultPodComplete, podfast.DefaultPodDelete,
}

// kwok is the main function of sigs.k8s.io/kwok/cmd/kwok.
func kwok() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := log.InitFlags(context.Background(), flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err == nil {
		command := cmd.NewCommand(ctx)
		command.PersistentFlags().AddFlagSet(flags)
		err = command.ExecuteContext(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
