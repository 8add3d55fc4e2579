// Package fakeapi implements an API server with a few resources, for tests and for trying the
// example without a cluster.
package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Cluster is the API of one cluster. It is safe for concurrent use.
type Cluster struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by path
	Changes []string                  // method, path and body of changes
}

// New returns a cluster with a number of pods, and a Deployment.
func New(name string, pods int) *Cluster {
	c := &Cluster{objects: map[string]map[string]any{}}
	add := func(path, apiVersion, kind, object string, labels map[string]any) {
		c.objects[path+"/"+object] = map[string]any{
			"apiVersion": apiVersion, "kind": kind,
			"metadata": map[string]any{
				"name": object, "namespace": "default", "labels": labels, "creationTimestamp": "2026-01-02T03:04:05Z",
				"managedFields": []any{map[string]any{"manager": "kubectl"}},
			},
		}
	}
	for i := range pods {
		app := []string{"web", "cache"}[i%2]
		add("/api/v1/namespaces/default/pods", "v1", "Pod", fmt.Sprintf("%s-%s-%d", name, app, i), map[string]any{"app": app})
	}
	add("/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", "web", map[string]any{"app": "web"})
	return c
}

// ServeHTTP answers lists, reads, patches of scales, and deletions.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := r.URL.Path
	object := c.objects[strings.TrimSuffix(path, "/scale")]
	switch {
	case r.Method == http.MethodGet && object == nil && c.isList(path):
		reply(w, http.StatusOK, c.list(path, r.URL.Query().Get("labelSelector")))
	case object == nil:
		name := strings.TrimSuffix(path, "/scale")
		name = name[strings.LastIndex(name, "/")+1:]
		reply(w, http.StatusNotFound, map[string]any{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": fmt.Sprintf("%q not found", name),
		})
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, object)
	case r.Method == http.MethodPatch:
		var patch map[string]any
		if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.Changes = append(c.Changes, fmt.Sprint(r.Method, " ", path, " ", patch["spec"]))
		reply(w, http.StatusOK, map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": patch["spec"]})
	case r.Method == http.MethodDelete:
		delete(c.objects, path)
		c.Changes = append(c.Changes, r.Method+" "+path)
		reply(w, http.StatusOK, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	}
}

// isList reports whether a path addresses all resources of a kind.
func (c *Cluster) isList(path string) bool {
	return strings.HasSuffix(path, "/pods") || strings.HasSuffix(path, "/deployments")
}

func (c *Cluster) list(path, selector string) map[string]any {
	path = strings.Replace(path, "/v1/pods", "/v1/namespaces/default/pods", 1)
	items := []any{}
	for _, name := range slices.Sorted(maps.Keys(c.objects)) {
		object := c.objects[name]
		labels := object["metadata"].(map[string]any)["labels"].(map[string]any)
		key, value, selects := strings.Cut(selector, "=")
		if strings.HasPrefix(name, path+"/") && (!selects || labels[key] == value) {
			items = append(items, object)
		}
	}
	return map[string]any{"kind": "List", "apiVersion": "v1", "metadata": map[string]any{}, "items": items}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// Serve serves clusters on loopback, and writes a kubeconfig with a context for each into a
// directory. stop stops the servers.
func Serve(dir string, clusters map[string]*Cluster) (kubeconfig string, stop func(), err error) {
	var entries struct{ clusters, contexts strings.Builder }
	var servers []*httptest.Server
	for name, cluster := range clusters {
		s := httptest.NewServer(cluster)
		servers = append(servers, s)
		fmt.Fprintf(&entries.clusters, "- name: %s\n  cluster: {server: %q}\n", name, s.URL)
		fmt.Fprintf(&entries.contexts, "- name: %[1]s\n  context: {cluster: %[1]s}\n", name)
	}
	stop = func() {
		for _, s := range servers {
			s.Close()
		}
	}
	kubeconfig = filepath.Join(dir, "kubeconfig")
	text := "apiVersion: v1\nkind: Config\nclusters:\n" + entries.clusters.String() + "contexts:\n" + entries.contexts.String()
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		stop()
		return "", nil, err
	}
	return kubeconfig, stop, nil
}
