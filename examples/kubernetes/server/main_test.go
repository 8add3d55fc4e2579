package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/examples/kubernetes/fakeapi"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// serve serves two clusters and returns them.
func serve(t *testing.T) (north, south *fakeapi.Cluster) {
	t.Helper()
	north, south = fakeapi.New("north", 2), fakeapi.New("south", 250)
	kubeconfig, stop, err := fakeapi.Serve(t.TempDir(), map[string]*fakeapi.Cluster{"north": north, "south": south})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	t.Setenv("KUBECONFIG", kubeconfig)
	return north, south
}

type page struct {
	Items      []struct{ Name string }
	Truncated  bool
	Total      int
	NextOffset int
}

func TestList(t *testing.T) {
	serve(t)
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	few := mcptest.Call[page](c, "resources_list", map[string]any{"cluster": "north", "kind": "Pod"})
	if few.Total != 2 || few.Truncated || few.Items[0].Name != "north-cache-1" {
		t.Errorf("north: %+v", few)
	}
	web := mcptest.Call[page](c, "resources_list", map[string]any{"cluster": "south", "kind": "Pod", "labelSelector": "app=web", "offset": 100})
	if web.Total != 125 || len(web.Items) != 25 || web.Truncated {
		t.Errorf("the second page of south: %+v", web)
	}
	all := c.Call("resources_list", map[string]any{"cluster": "south", "kind": "Pod", "namespace": "default"})
	if text := all.Text(); !strings.HasSuffix(text, "narrow the result by namespace, labelSelector or fieldSelector, or continue with offset=100.") {
		t.Errorf("got %.2000s", text)
	}
}

func TestGet(t *testing.T) {
	serve(t)
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	got := c.Call("resources_get", map[string]any{"cluster": "north", "kind": "Pod", "namespace": "default", "name": "north-web-0"}).Text()
	want := `apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: "2026-01-02T03:04:05Z"
  labels:
    app: web
  name: north-web-0
  namespace: default
`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestChanges(t *testing.T) {
	north, south := serve(t)
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	scaled := c.Call("resources_scale", map[string]any{
		"cluster": "south", "apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "web", "replicas": 3,
	}).Text()
	if !strings.Contains(scaled, "replicas: 3\n") {
		t.Errorf("got %s", scaled)
	}
	c.Call("resources_delete", map[string]any{"cluster": "north", "kind": "Pod", "namespace": "default", "name": "north-web-0"})
	want := []string{
		"PATCH /apis/apps/v1/namespaces/default/deployments/web/scale map[replicas:3]",
		"DELETE /api/v1/namespaces/default/pods/north-web-0",
	}
	if got := slices.Concat(south.Changes, north.Changes); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestRefused makes calls that must not reach a cluster, or that the cluster refuses.
func TestRefused(t *testing.T) {
	north, south := serve(t)
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	for want, arguments := range map[string]map[string]any{
		"cluster: must be one of":                    {"cluster": "west", "kind": "Pod", "namespace": "default", "name": "web"},
		"cluster: required, but missing":             {"kind": "Pod", "namespace": "default", "name": "web"},
		"kind: must match":                           {"cluster": "north", "kind": "pods", "namespace": "default", "name": "web"},
		"apiVersion and kind are not valid: unexpec": {"cluster": "north", "apiVersion": "a/b/c", "kind": "Pod", "namespace": "default", "name": "web"},
		"replicas: must be at most 100":              {"cluster": "north", "kind": "Pod", "namespace": "default", "name": "web", "replicas": 1000},
		`"web-9" not found`:                          {"cluster": "north", "kind": "Pod", "namespace": "default", "name": "web-9"},
	} {
		if arguments["replicas"] == nil {
			arguments["replicas"] = 1
		}
		if got := c.CallError("resources_scale", arguments); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if len(north.Changes)+len(south.Changes) > 0 {
		t.Errorf("changed: %q, %q", north.Changes, south.Changes)
	}
}

// TestReadme runs the commands of the README, each of which precedes its output.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	serve(t)
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```")
	ran := 0
	for i, block := range blocks {
		line, found := strings.CutPrefix(block, "sh\ngo tool mcpgen call ")
		if !found {
			continue
		}
		args := strings.Fields(line)
		cmd := exec.Command("go", append([]string{"tool", "mcpgen", "call"}, args...)...)
		cmd.Dir = ".."
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, said.String())
		}
		want, _ := strings.CutPrefix(blocks[i+2], "text\n")
		if string(out) != want {
			t.Errorf("%s\nprints\n%s\nwant\n%s", line, out, want)
		}
		ran++
	}
	if ran < 2 {
		t.Error(fmt.Sprint(ran, " commands"))
	}
}
