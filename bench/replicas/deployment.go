package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// deployment consists of JetStream servers, replicas, and a balancer in front of them.
type deployment struct {
	dir      string
	servers  []*child
	replicas []*child
	front    *httptest.Server
	ledger   *ledger
	stop     context.CancelFunc

	nats *nats.Conn // used by checks
	js   jetstream.JetStream
}

// deployOptions configures a deployment.
type deployOptions struct {
	syncAlways bool // of the servers
	sqlite     bool // use SQLite to store tasks, without servers
	quiet      bool // handlers do not record effects
}

// deploy starts servers and replicas, with files in a directory.
func deploy(dir string, servers, replicas int, o deployOptions) (d *deployment, err error) {
	ctx, stop := context.WithCancel(context.Background())
	d = &deployment{dir: dir, ledger: newLedger(), stop: stop}
	defer func() {
		if err != nil {
			d.end()
		}
	}()
	addresses, err := freeAddresses(3*servers + replicas)
	if err != nil {
		return d, err
	}
	clients, routes, monitors, web := addresses[:servers], addresses[servers:2*servers], addresses[2*servers:3*servers], addresses[3*servers:]
	for i := range servers {
		c := natsConfig{Name: fmt.Sprint("nats", i), Dir: filepath.Join(dir, fmt.Sprint("nats", i)), Client: clients[i], Route: routes[i], Monitor: monitors[i], SyncAlways: o.syncAlways}
		if servers > 1 {
			c.Routes = routes
		}
		d.servers = append(d.servers, newChild("nats", c.Name, dir, c, "http://"+monitors[i]+"/healthz"))
	}
	for i := range replicas {
		c := replicaConfig{Name: fmt.Sprint("replica", i), Listen: web[i], NATS: clients, Effects: filepath.Join(dir, fmt.Sprint("replica", i, ".effects"))}
		if o.quiet {
			c.Effects = ""
		}
		if o.sqlite {
			c.SQLite = filepath.Join(dir, "tasks.db")
		}
		d.replicas = append(d.replicas, newChild("replica", c.Name, dir, c, "http://"+web[i]+"/ready"))
	}
	for _, all := range [][]*child{d.servers, d.replicas} {
		if err := startAll(all); err != nil {
			return d, err
		}
	}
	d.front = httptest.NewServer(newBalancer(ctx, d.ledger, web))
	if servers == 0 {
		return d, nil
	}
	if d.nats, err = nats.Connect("nats://"+strings.Join(clients, ",nats://"), nats.MaxReconnects(-1)); err != nil {
		return d, err
	}
	d.js, err = jetstream.New(d.nats)
	return d, err
}

// startAll starts processes and waits until all are ready.
func startAll(all []*child) error {
	for _, c := range all {
		if err := c.start(); err != nil {
			return err
		}
	}
	for _, c := range all {
		if err := c.ready(); err != nil {
			return err
		}
	}
	return nil
}

// end ends all processes.
func (d *deployment) end() {
	d.stop()
	if d.front != nil {
		d.front.CloseClientConnections()
		d.front.Close()
	}
	if d.nats != nil {
		d.nats.Close()
	}
	var ending sync.WaitGroup
	for _, c := range append(d.replicas, d.servers...) {
		ending.Go(c.kill)
	}
	ending.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// effects reads the effects that the handlers of all replicas have recorded.
func (d *deployment) effects() ([]effect, error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "*.effects"))
	if err != nil {
		return nil, err
	}
	return readEffects(files)
}

// whole waits until every stream has all its copies, up to date, and every replica is ready, so
// that one more of each can be killed.
func (d *deployment) whole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		err := d.streams(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the streams are not whole: %w", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, c := range d.replicas {
		if err := c.ready(); err != nil {
			return err
		}
	}
	return nil
}

// streams returns why some streams lack copies, or nil.
func (d *deployment) streams(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	list, n := d.js.ListStreams(asking), 0
	for s := range list.Info() {
		n++
		switch {
		case s.Cluster == nil || s.Config.Replicas == 1:
		case s.Cluster.Leader == "":
			return fmt.Errorf("%s has no leader", s.Config.Name)
		default:
			for _, peer := range s.Cluster.Replicas {
				if !peer.Current || peer.Offline {
					return fmt.Errorf("%s: the copy of %s is not up to date", s.Config.Name, peer.Name)
				}
			}
		}
	}
	if err := list.Err(); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("there are no streams")
	}
	return nil
}
