// Package kinds imports the types from which controller-gen writes the definitions of custom resources.
package kinds

import (
	// The Prometheus Operator of the pinned kube-prometheus-stack.
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)
