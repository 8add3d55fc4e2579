package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"sigs.k8s.io/yaml"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// values contains the values for the NATS chart in nats.yaml. A misspelt one is an error.
type values struct {
	Config struct {
		Cluster struct {
			Enabled  bool `json:"enabled"`
			Replicas int  `json:"replicas"`
		} `json:"cluster"`
		JetStream struct {
			Enabled   bool `json:"enabled"`
			FileStore struct {
				PVC struct {
					Size string `json:"size"`
				} `json:"pvc"`
			} `json:"fileStore"`
			MemoryStore struct {
				Enabled bool   `json:"enabled"`
				MaxSize string `json:"maxSize"`
			} `json:"memoryStore"`
			Merge struct {
				SyncInterval string `json:"sync_interval"`
			} `json:"merge"`
		} `json:"jetstream"`
		Merge map[string]any `json:"merge"`
	} `json:"config"`
	Container struct {
		Env struct {
			GOMEMLIMIT   string
			SHOPPASSWORD struct {
				ValueFrom struct {
					SecretKeyRef struct {
						Name string `json:"name"`
						Key  string `json:"key"`
					} `json:"secretKeyRef"`
				} `json:"valueFrom"`
			} `json:"SHOP_PASSWORD"`
		} `json:"env"`
		Merge struct {
			Resources map[string]map[string]string `json:"resources"`
		} `json:"merge"`
	} `json:"container"`
	PodTemplate struct {
		TopologySpreadConstraints map[string]struct {
			MaxSkew           int    `json:"maxSkew"`
			WhenUnsatisfiable string `json:"whenUnsatisfiable"`
		} `json:"topologySpreadConstraints"`
	} `json:"podTemplate"`
	NATSBox struct {
		Enabled bool `json:"enabled"`
	} `json:"natsBox"`
}

func readValues(t *testing.T) *values {
	t.Helper()
	v := new(values)
	if err := yaml.UnmarshalStrict([]byte(readFile(t, "nats.yaml")), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// natsPassword is the password in the secret of the chart.
const natsPassword = "p0e12"

// unquoted matches strings such as "<< $NAME >>", which the chart inserts without quotes.
var unquoted = regexp.MustCompile(`"<< (.+?) >>"`)

// startConfigured starts a server with the configuration that the chart generates from the values,
// without its cluster.
func startConfigured(t *testing.T) *server.Server {
	t.Helper()
	v := readValues(t)
	merged := v.Config.Merge
	merged["jetstream"] = map[string]any{
		"store_dir": t.TempDir(), "max_file_store": "<< 4Gi >>", "sync_interval": v.Config.JetStream.Merge.SyncInterval,
		"max_memory_store": "<< " + v.Config.JetStream.MemoryStore.MaxSize + " >>",
	}
	merged["host"], merged["port"] = "127.0.0.1", -1
	text, err := json.Marshal(merged)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text)) // from encoding/json
	t.Setenv("SHOP_PASSWORD", natsPassword)
	o := &server.Options{NoSigs: true, NoLog: true}
	if err := o.ProcessConfigString(unquoted.ReplaceAllString(plain, "$1")); err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server is not ready")
	}
	if !s.JetStreamEnabled() || !o.SyncAlways {
		t.Errorf("JetStream %t, sync always %t", s.JetStreamEnabled(), o.SyncAlways)
	}
	return s
}

func TestValues(t *testing.T) {
	v, c := readValues(t), readManifests(t)
	if v.Config.Cluster.Replicas != 3 || !v.Config.Cluster.Enabled || !v.Config.JetStream.Enabled || !v.Config.JetStream.MemoryStore.Enabled {
		t.Errorf("the cluster is %+v, JetStream %+v", v.Config.Cluster, v.Config.JetStream)
	}
	ref := v.Container.Env.SHOPPASSWORD.ValueFrom.SecretKeyRef
	found := false
	for _, volume := range c.deployment.Spec.Template.Spec.Volumes {
		found = found || volume.Secret.SecretName == ref.Name
	}
	if !found || !strings.Contains(strings.Join(c.container(t).Args, " "), "/"+ref.Key+" ") {
		t.Errorf("the replicas do not have the secret %s with %s", ref.Name, ref.Key)
	}
	if limit := v.Container.Merge.Resources["limits"]["memory"]; limit != "512Mi" || mebibytes(t, v.Container.Env.GOMEMLIMIT) >= 512<<20 {
		t.Errorf("GOMEMLIMIT is %s of %s", v.Container.Env.GOMEMLIMIT, limit)
	}
}

// Two replicas with the arguments of the manifest, and a NATS server with the permissions of the
// values, use all features of replicas: the permissions are sufficient.
func TestDeployment(t *testing.T) {
	s := startConfigured(t)
	dir := t.TempDir()
	key, stored := mcpauth.NewKey("ada")
	keys, err := json.Marshal(map[string]any{"keys": []mcpauth.Key{stored}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"password": natsPassword + "\n", "secret": "a secret of the replicas\n", "keys.json": string(keys)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := readManifests(t)
	files := regexp.MustCompile(`=/run/secrets/\w+/`)
	b := &balancer{report: func(text string) { t.Error(text) }}
	var programs []*program
	for i := range 2 {
		args := []string{"-until-eof", "-copies=1000", "-supplier-time=50ms"}
		for _, arg := range m.container(t).Args {
			arg = strings.NewReplacer("0.0.0.0:8080", "127.0.0.1:0", "$(POD_NAME)", fmt.Sprint("shop-", i), "nats://nats:4222", s.ClientURL(),
				"stop-delay=5s", "stop-delay=100ms").Replace(arg)
			args = append(args, files.ReplaceAllString(arg, "="+dir+"/"))
		}
		programs = append(programs, startProgram(t, args...))
	}
	probes := map[string]bool{}
	for _, p := range programs {
		one := b.add(t, p.line(t))
		for _, path := range []string{
			m.container(t).StartupProbe.HTTPGet.Path, m.container(t).LivenessProbe.HTTPGet.Path, m.container(t).ReadinessProbe.HTTPGet.Path,
		} {
			probes[path] = true
			if !isReady(t.Context(), one.base+path) {
				t.Errorf("the probe %s fails", path)
			}
		}
	}
	if len(probes) != 2 {
		t.Errorf("the probes ask for %v", probes)
	}
	front := serve(t, b)
	if r, err := http.Post(front, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil || r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a call without a key: %v, %+v", err, r)
	}
	host := http.Header{"Authorization": {"Bearer " + key}}
	for i, revision := range []string{"2025-11-25", "2026-07-28"} {
		c := connectTo(t, mcphttpclient.Endpoint{URL: front, Header: host}, revision)
		for n := range 4 { // the answer to a question arrives at the other replica
			arguments := map[string]any{"item": "teapot", "reference": fmt.Sprint("q-", i, "-", n)}
			must[Order](t, c, "order", arguments)
			must[Item](t, c, "cancel_order", arguments)
		}
		notified(t, c, func() { must[Order](t, c, "order", map[string]any{"item": "cup", "reference": fmt.Sprint("n-", i)}) })
		if got := must[[]Item](t, c, "restock", map[string]any{"copies": 1}); got[0].Received != 1001+i {
			t.Errorf("after the delivery: %+v", got)
		}
		b.answers.Wait() // a replica without permission to confirm an answer makes it fail after a while
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range programs {
		if err := p.stop(); err != nil {
			t.Errorf("SIGTERM: %v", err)
		}
	}
}

// notified checks that a client is notified of a new stock of cups.
func notified(t *testing.T, c *mcpclient.Client, change func()) {
	t.Helper()
	sub, err := c.Subscribe(t.Context(), mcpclient.Filter{URIs: []string{"shop://stock/cup"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	changed := make(chan struct{}, 100)
	go func() {
		for range sub.Changes() {
			changed <- struct{}{}
		}
	}()
	change()
	<-changed
}
