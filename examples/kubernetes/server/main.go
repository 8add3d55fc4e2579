// Kubernetes serves the clusters of a kubeconfig: the tools are methods of a client that another
// package has, and the cluster of each call is an argument.
//
//	go run -C ./kubernetes ./server
//
//mcp:server name=kubernetes title=Kubernetes instructions="List before you change something. Ask which cluster is meant if it is not clear."
//mcp:defaults errors=text openworld
package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/mcpgen/mcpgen/examples/kubernetes/kube"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(NewMCPServer()) }

// Lists resources of a kind: names, labels and ages.
//
//mcp:tool readonly maxresult=32KiB page=100
//mcp:arg kind inline
//mcp:arg namespace "namespace; all if it is missing" optional
//mcp:arg options inline only=labelSelector,fieldSelector
//mcp:arg options.labelSelector "labels, such as app=web,tier!=cache"
//mcp:arg options.fieldSelector "fields, such as status.phase=Running"
var _ = (*kube.Core).ResourcesList

// Returns a resource as YAML.
//
//mcp:tool readonly maxresult=64KiB
//mcp:arg kind inline
//mcp:arg namespace "namespace; none for resources of the cluster" optional
//mcp:arg name "name of the resource"
var _ = (*kube.Core).ResourcesGet

// Sets the number of replicas, and returns the scale as YAML.
//
//mcp:tool destructive idempotent
//mcp:arg kind inline
//mcp:arg namespace "namespace of the resource"
//mcp:arg name "name of a Deployment or StatefulSet"
//mcp:arg replicas "number of replicas" minimum=0 maximum=100
var _ = (*kube.Core).ResourcesScale

// Deletes a resource.
//
//mcp:tool destructive idempotent
//mcp:arg kind inline
//mcp:arg namespace "namespace; none for resources of the cluster" optional
//mcp:arg name "name of the resource"
var _ = (*kube.Core).ResourcesDelete

// clientOf returns the client of a cluster.
//
//mcp:inject
//mcp:arg cluster "context of the kubeconfig" choices=Clusters
func clientOf(_ context.Context, cluster string) (*kube.Core, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(),
		&clientcmd.ConfigOverrides{CurrentContext: cluster}).ClientConfig()
	if err != nil {
		return nil, err
	}
	return kube.New(config)
}

// Clusters are the contexts of the kubeconfig.
func Clusters(context.Context) ([]string, error) {
	config, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	if err != nil {
		return nil, err
	}
	if len(config.Contexts) == 0 {
		return nil, errors.New("the kubeconfig has no context")
	}
	return slices.Sorted(maps.Keys(config.Contexts)), nil
}

// Kind is how callers name a kind of resources.
type Kind struct {
	APIVersion string `json:"apiVersion" jsonschema:"default=v1"`                     // such as v1 or apps/v1
	Kind       string `json:"kind" jsonschema:"pattern=^[A-Z][A-Za-z]*$,example=Pod"` // in the singular, such as Pod
}

//mcp:decode
func kindOf(k Kind) (*schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(k.APIVersion)
	if err != nil {
		return nil, err
	}
	kind := version.WithKind(k.Kind)
	return &kind, nil
}

//mcp:encode
func yamlOf(object *unstructured.Unstructured) (string, error) {
	text, err := yaml.Marshal(object.Object)
	return string(text), err
}
