package main

import (
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
)

// natsConfig configures a JetStream server.
type natsConfig struct {
	Name, Dir     string
	Client, Route string   // addresses
	Routes        []string // of all servers; none for a single server
	SyncAlways    bool
	Monitor       string // address of its health
}

// serveNATS runs a JetStream server until the process ends.
func serveNATS(c natsConfig) error {
	host, port, err := splitAddress(c.Client)
	if err != nil {
		return err
	}
	o := &server.Options{
		ServerName: c.Name, Host: host, Port: port, JetStream: true, StoreDir: c.Dir, SyncAlways: c.SyncAlways,
		LogFile: c.Dir + ".log", Logtime: true,
	}
	if o.HTTPHost, o.HTTPPort, err = splitAddress(c.Monitor); err != nil {
		return err
	}
	if len(c.Routes) > 0 {
		host, port, err := splitAddress(c.Route)
		if err != nil {
			return err
		}
		o.Cluster = server.ClusterOpts{Name: "test", Host: host, Port: port}
		for _, r := range c.Routes {
			if r != c.Route {
				o.Routes = append(o.Routes, &url.URL{Scheme: "nats-route", Host: r})
			}
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	if !s.ReadyForConnections(startTime) {
		return fmt.Errorf("the server %s is not ready", c.Name)
	}
	s.WaitForShutdown() // the server ends on SIGTERM
	return nil
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}
