package access_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
)

func TestLongHeader(t *testing.T) {
	for size, want := range map[int]int{1 << 10: 0, 60 << 10: 0, 65 << 10: 431, 900 << 10: 431} {
		one, many, target := request(loopback, "localhost"), request(loopback, "localhost"), request(loopback, "localhost")
		one.Header["X-Long"] = []string{strings.Repeat("v", size)}
		for range size / 64 {
			many.Header["X-Many"] = append(many.Header["X-Many"], strings.Repeat("v", 64-len("X-Many")))
		}
		target.RequestURI = "/mcp?" + strings.Repeat("q", size)
		for _, r := range []struct {
			name string
			got  *access.Refusal
		}{{"one field", new(access.Policy).Check(one)}, {"many", new(access.Policy).Check(many)}, {"target", new(access.Policy).Check(target)}} {
			status := 0
			if r.got != nil {
				status = r.got.Status
			}
			if status != want {
				t.Errorf("%s of %d bytes: status %d, want %d", r.name, size, status, want)
			}
		}
	}
}
