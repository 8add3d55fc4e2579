// Otlp sends spans and metrics of a server to a collector, over HTTP with OTLP.
//
//	go run -C ./observed ./otlp -http 8080                                  # to http://127.0.0.1:4318
//	OTEL_EXPORTER_OTLP_ENDPOINT=https://collector:4318 go run -C ./observed ./otlp
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgen/mcpgen/examples/observed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
)

func main() {
	telemetry, shutdown, err := newTelemetry(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcpotel.Instrument(telemetry...))
	observed.RegisterMCP(server, observed.NewShop())
	mcpcmd.Main(server, mcpcmd.WithCleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := shutdown(ctx); err != nil { // sends the rest
			log.Print(err)
		}
	}))
}

// newTelemetry returns options with exporters, which the environment variables of OpenTelemetry
// configure.
func newTelemetry(ctx context.Context) (options []mcpotel.Option, shutdown func(context.Context) error, err error) {
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	service, err := resource.Merge(resource.Default(), resource.NewSchemaless(attribute.String("service.name", "shop")))
	if err != nil {
		return nil, nil, err
	}
	tracers := trace.NewTracerProvider(trace.WithBatcher(spans), trace.WithResource(service))
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(metrics)), metric.WithResource(service))
	return []mcpotel.Option{
			mcpotel.WithTracerProvider(tracers), mcpotel.WithMeterProvider(meters),
			mcpotel.WithPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
		}, func(ctx context.Context) error {
			return errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx))
		}, nil
}
