package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// manifests contains the manifests of shop.yaml.
type manifests struct {
	deployment appsv1.Deployment
	service    corev1.Service
	budget     policyv1.PodDisruptionBudget
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readManifests reads shop.yaml. A field that Kubernetes does not know is an error.
func readManifests(t *testing.T) *manifests {
	t.Helper()
	m := new(manifests)
	kinds := map[string]any{"Deployment": &m.deployment, "Service": &m.service, "PodDisruptionBudget": &m.budget}
	for _, text := range strings.Split(readFile(t, "shop.yaml"), "\n---\n") {
		kind := regexp.MustCompile(`(?m)^kind: (\w+)$`).FindStringSubmatch(text)
		if kind == nil || kinds[kind[1]] == nil {
			t.Fatalf("a manifest has the kind %v, which is not one of the three", kind)
		}
		if err := yaml.UnmarshalStrict([]byte(text), kinds[kind[1]]); err != nil {
			t.Fatal(err)
		}
		delete(kinds, kind[1])
	}
	if len(kinds) > 0 {
		t.Fatalf("there are no manifests of %v", kinds)
	}
	return m
}

// container returns the only container of the Deployment.
func (m *manifests) container(t *testing.T) corev1.Container {
	t.Helper()
	all := m.deployment.Spec.Template.Spec.Containers
	if len(all) != 1 {
		t.Fatalf("there are %d containers", len(all))
	}
	return all[0]
}

// The Kubernetes manifests are consistent with each other, and with the program.
func TestManifests(t *testing.T) {
	m := readManifests(t)
	d, pod, c := m.deployment.Spec, m.deployment.Spec.Template.Spec, m.container(t)
	config, err := parsed(strings.Join(c.Args, " "))
	if err != nil {
		t.Fatalf("the program refuses %q: %v", c.Args, err)
	}

	// Time to stop.
	before := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	if longest := before + config.stopDelay + stopTime; before <= 0 || config.stopDelay <= 0 || grace < longest+5*time.Second {
		t.Errorf("terminationGracePeriodSeconds is %s, and a replica takes up to %s from preStop to its end", grace, longest)
	}

	// Ports and probes.
	port := c.Ports[0]
	if !slices.Contains(c.Args, "-http=0.0.0.0:"+strconv.Itoa(int(port.ContainerPort))) {
		t.Errorf("the port is %d, the arguments are %q", port.ContainerPort, c.Args)
	}
	if p := m.service.Spec.Ports[0]; p.TargetPort.StrVal != port.Name || m.service.Spec.SessionAffinity != "" {
		t.Errorf("the Service forwards to %v with affinity %q", p.TargetPort, m.service.Spec.SessionAffinity)
	}
	for name, probe := range map[string]struct {
		*corev1.Probe
		path string
	}{"startup": {c.StartupProbe, livePath}, "readiness": {c.ReadinessProbe, readyPath}, "liveness": {c.LivenessProbe, livePath}} {
		if probe.HTTPGet.Path != probe.path || probe.HTTPGet.Port.StrVal != port.Name {
			t.Errorf("the %s probe asks %s at %v", name, probe.HTTPGet.Path, probe.HTTPGet.Port)
		}
		if timeout := time.Duration(probe.TimeoutSeconds) * time.Second; timeout <= probeTime {
			t.Errorf("the %s probe waits for %s, and the program for up to %s", name, timeout, probeTime)
		}
	}
	if s := c.StartupProbe; time.Duration(s.PeriodSeconds*s.FailureThreshold)*time.Second < startTime {
		t.Errorf("the startup probe ends a program that waits for NATS for %s", startTime)
	}

	// Rolling updates and drains of nodes.
	if d.Strategy.RollingUpdate.MaxUnavailable.IntVal != 0 || d.Strategy.RollingUpdate.MaxSurge.IntVal < 1 || *d.Replicas != 3 {
		t.Errorf("an update stops replicas before there are others: %+v", d.Strategy.RollingUpdate)
	}
	if b := m.budget.Spec; b.MinAvailable != nil || b.MaxUnavailable.IntVal < 1 || b.MaxUnavailable.IntVal >= *d.Replicas {
		t.Errorf("the budget of %d replicas is %+v", *d.Replicas, b)
	}
	labels := d.Template.Labels
	for name, selector := range map[string]map[string]string{
		"Deployment": d.Selector.MatchLabels, "Service": m.service.Spec.Selector, "PodDisruptionBudget": m.budget.Spec.Selector.MatchLabels,
		"topologySpreadConstraints": pod.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		for key, value := range selector {
			if labels[key] != value {
				t.Errorf("the %s selects %s=%s, and pods have %v", name, key, value, labels)
			}
		}
		if len(selector) == 0 {
			t.Errorf("the %s selects all pods", name)
		}
	}

	// Permissions of the container.
	s, own := pod.SecurityContext, c.SecurityContext
	if !*s.RunAsNonRoot || *s.RunAsUser == 0 || *own.AllowPrivilegeEscalation || !*own.ReadOnlyRootFilesystem || *pod.AutomountServiceAccountToken ||
		!slices.Equal(own.Capabilities.Drop, []corev1.Capability{"ALL"}) || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the container may do more than it needs: %+v, %+v", s, own)
	}
	docker := readFile(t, "Dockerfile")
	for _, line := range []string{
		"USER " + strconv.FormatInt(*s.RunAsUser, 10) + ":" + strconv.FormatInt(*s.RunAsGroup, 10),
		"EXPOSE " + strconv.Itoa(int(port.ContainerPort)),
		"-t " + c.Image + " ",
	} {
		if !strings.Contains(docker, line) {
			t.Errorf("the Dockerfile does not have %q", line)
		}
	}
	if limit := goMemory(t, c.Env); c.Resources.Limits.Memory().Value() <= limit {
		t.Errorf("GOMEMLIMIT is %d, and the limit of the container %s", limit, c.Resources.Limits.Memory())
	}

	// Files and secrets.
	mounted := map[string]string{} // mount path by volume
	for _, v := range c.VolumeMounts {
		mounted[v.Name] = v.MountPath
	}
	var secrets []string
	for _, v := range pod.Volumes {
		if mounted[v.Name] == "" || *v.Secret.DefaultMode != 0o440 {
			t.Errorf("the volume %s is mounted at %q with mode %o", v.Name, mounted[v.Name], *v.Secret.DefaultMode)
		}
		secrets = append(secrets, v.Secret.SecretName)
	}
	comment := readFile(t, "shop.yaml") + readFile(t, "nats.yaml")
	for _, name := range secrets {
		if !strings.Contains(comment, "kubectl create secret generic "+name+" ") {
			t.Errorf("no comment says how to make the secret %s", name)
		}
	}
	for _, arg := range c.Args {
		if _, file, _ := strings.Cut(arg, "="); strings.HasPrefix(file, "/") && !slices.ContainsFunc(c.VolumeMounts, func(v corev1.VolumeMount) bool {
			return filepath.Dir(file) == v.MountPath
		}) {
			t.Errorf("the file of %s is not mounted", arg)
		}
	}
}

// goMemory returns GOMEMLIMIT in bytes.
func goMemory(t *testing.T, env []corev1.EnvVar) int64 {
	t.Helper()
	i := slices.IndexFunc(env, func(e corev1.EnvVar) bool { return e.Name == "GOMEMLIMIT" })
	if i < 0 {
		t.Fatal("there is no GOMEMLIMIT")
	}
	return mebibytes(t, env[i].Value)
}

// mebibytes returns a number such as 400MiB in bytes.
func mebibytes(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "MiB"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 20
}

// unit returns the settings of the systemd unit. A backslash at the end of a line continues it.
func unit(t *testing.T) map[string][]string {
	t.Helper()
	settings := map[string][]string{}
	text := strings.ReplaceAll(readFile(t, "mcp-shop@.service"), "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			t.Errorf("%q is not a setting", line)
		}
		settings[name] = append(settings[name], value)
	}
	return settings
}

// The systemd unit is consistent with the program and with the example of its environment.
func TestUnit(t *testing.T) {
	s := unit(t)
	environment := map[string]string{"STATE_DIRECTORY": "/var/lib/" + strings.ReplaceAll(s["StateDirectory"][0], "%i", "a")}
	for line := range strings.Lines(readFile(t, "a.env")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			environment[name] = value
		}
	}
	used := map[string]bool{}
	command := os.Expand(s["ExecStart"][0], func(name string) string {
		used[name] = true
		if environment[name] == "" {
			t.Errorf("the environment has no %s", name)
		}
		return environment[name]
	})
	for name := range environment {
		if !used[name] {
			t.Errorf("the command line does not use %s", name)
		}
	}
	command = strings.NewReplacer("%i", "a", "%d", "/run/credentials/mcp-shop@a.service").Replace(command)
	program, args, _ := strings.Cut(command, " ")
	config, err := parsed(args)
	if err != nil || program != "/usr/local/bin/mcp-shop" || strings.Contains(command, "%") {
		t.Fatalf("the program refuses %q: %v", command, err)
	}
	if config.name != "a" || config.dir != "/var/lib/mcp-shop/a" || !config.sync || len(config.peerList()) != 3 || !slices.Contains(config.peerList(), config.routes) {
		t.Errorf("the replica is %q in %q at %q of %q", config.name, config.dir, config.routes, config.peers)
	}
	for _, credential := range s["LoadCredential"] {
		name, _, _ := strings.Cut(credential, ":")
		if !strings.Contains(command, "/run/credentials/mcp-shop@a.service/"+name) {
			t.Errorf("the command line does not use the credential %s", name)
		}
	}
	seconds, err := strconv.Atoi(s["TimeoutStopSec"][0])
	if err != nil || time.Duration(seconds)*time.Second < config.stopDelay+stopTime+5*time.Second {
		t.Errorf("TimeoutStopSec is %s, and a replica takes up to %s to stop", s["TimeoutStopSec"], config.stopDelay+stopTime)
	}
	for name, want := range map[string]string{"KillSignal": "SIGTERM", "KillMode": "mixed", "Restart": "on-failure", "DynamicUser": "yes", "NoNewPrivileges": "yes"} {
		if got := s[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
	if files, _ := strconv.Atoi(s["LimitNOFILE"][0]); files <= 10_000 {
		t.Errorf("LimitNOFILE is %d, and there may be 10000 streams", files)
	}
	if limit, ok := strings.CutPrefix(s["Environment"][0], "GOMEMLIMIT="); !ok || s["MemoryMax"][0] != "1G" || mebibytes(t, limit) >= 1<<30 {
		t.Errorf("GOMEMLIMIT is %s of %s", limit, s["MemoryMax"])
	}
}
