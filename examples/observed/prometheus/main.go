// Prometheus serves the metrics of a server for Prometheus, at /metrics beside /mcp.
//
//	go run -C ./observed ./prometheus -http 8080
//	curl http://127.0.0.1:8080/metrics
package main

import (
	"log"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/mcpgen/mcpgen/examples/observed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
)

func main() {
	server, metrics, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	mcpcmd.Main(server, mcpcmd.WithHandler(func(next http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/metrics", metrics) // without authentication: keep it out of the clients' network
		mux.Handle("/", next)
		return mux
	}))
}

// newServer returns a server, and the handler for its metrics.
func newServer() (*mcp.Server, http.Handler, error) {
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, nil, err
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcpotel.Instrument(mcpotel.WithMeterProvider(provider)))
	observed.RegisterMCP(server, observed.NewShop())
	return server, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}
