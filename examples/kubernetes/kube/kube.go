// Package kube calls the API of Kubernetes clusters. It does not depend on MCP.
package kube

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Core calls the API of one cluster. It is safe for concurrent use.
type Core struct{ client dynamic.Interface }

// New returns a Core for a cluster.
func New(config *rest.Config) (*Core, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", config.Host, err)
	}
	return &Core{client}, nil
}

// Object is an entry of a list of resources.
type Object struct {
	Namespace string            `json:"namespace,omitempty"`
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels,omitempty"`
	Created   time.Time         `json:"created"`
}

// ResourcesList lists the resources of a kind, of all namespaces if none is given.
func (c *Core) ResourcesList(ctx context.Context, kind *schema.GroupVersionKind, namespace string, options metav1.ListOptions) ([]Object, error) {
	found, err := c.resources(kind, namespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	var list []Object
	for _, item := range found.Items {
		list = append(list, Object{item.GetNamespace(), item.GetName(), item.GetLabels(), item.GetCreationTimestamp().UTC()})
	}
	return list, nil
}

// ResourcesGet returns one resource, without the fields that the API server manages.
func (c *Core) ResourcesGet(ctx context.Context, kind *schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	found, err := c.resources(kind, namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	found.SetManagedFields(nil)
	return found, nil
}

// ResourcesScale sets the number of replicas of a Deployment or StatefulSet, and returns the scale.
func (c *Core) ResourcesScale(ctx context.Context, kind *schema.GroupVersionKind, namespace, name string, replicas int32) (*unstructured.Unstructured, error) {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	return c.resources(kind, namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "scale")
}

// ResourcesDelete deletes one resource.
func (c *Core) ResourcesDelete(ctx context.Context, kind *schema.GroupVersionKind, namespace, name string) error {
	return c.resources(kind, namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// resources returns the client for the resources of a kind. It guesses the plural, by the rule that
// most kinds follow.
func (c *Core) resources(kind *schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(*kind)
	all := c.client.Resource(plural)
	if namespace == "" {
		return all
	}
	return all.Namespace(namespace)
}
