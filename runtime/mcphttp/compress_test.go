package mcphttp

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZip"}, true},
		{[]string{"x-gzip"}, true},
		{[]string{"gzip, deflate, br, zstd"}, true},
		{[]string{"br", "gzip"}, true},
		{[]string{"*"}, true},
		{[]string{"br, *;q=0.1"}, true},
		{[]string{"gzip;q=0.001"}, true},
		{[]string{"gzip;q=1.0, identity; q=0.5, *;q=0"}, true},
		{[]string{"gzip;q=0.5, identity;q=0.5"}, true},
		{[]string{"*;q=0, gzip"}, true},
		{[]string{"br, deflate"}, false},
		{[]string{"identity"}, false},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip;q=0.000, *"}, false},
		{[]string{"*;q=0"}, false},
		{[]string{"gzip;q=0.5, identity"}, false},
		{[]string{"*;q=0.5, identity;q=0.9"}, false},
		{[]string{"gzip;q=x"}, false},
		{[]string{"gzipped"}, false},
		{[]string{"application/gzip"}, false},
	} {
		if got := acceptsGzip(http.Header{"Accept-Encoding": test.lines}); got != test.want {
			t.Errorf("%q: %v, want %v", test.lines, got, test.want)
		}
	}
}

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCompress(t *testing.T) {
	noise := make([]byte, minCompressed)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for _, test := range []struct {
		name           string
		body           []byte
		encodings      []string
		encoded        string // by middleware
		zipped, varies bool
	}{
		{"large", bytes.Repeat([]byte("x"), minCompressed), []string{"gzip"}, "", true, true},
		{"large, unwanted", bytes.Repeat([]byte("x"), minCompressed), []string{"gzip;q=0"}, "", false, true},
		{"large, without Accept-Encoding", bytes.Repeat([]byte("x"), minCompressed), nil, "", false, false},
		{"small", bytes.Repeat([]byte("x"), minCompressed-1), []string{"gzip"}, "", false, false},
		{"noise", noise, []string{"gzip"}, "", false, true},
		{"encoded by another", bytes.Repeat([]byte("x"), minCompressed), []string{"gzip"}, "br", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := http.Header{"Vary": {"Origin"}}
			if test.encoded != "" {
				answer.Set("Content-Encoding", test.encoded)
			}
			got := compress(answer, http.Header{"Accept-Encoding": test.encodings}, []byte("before"), test.body)
			if zipped := answer.Get("Content-Encoding") == "gzip"; zipped != test.zipped {
				t.Fatalf("header %v", answer)
			} else if zipped {
				got = unzip(t, got)
			}
			if !bytes.Equal(got, test.body) {
				t.Errorf("another body: %d bytes", len(got))
			}
			if varies := strings.Contains(strings.Join(answer["Vary"], ","), "Accept-Encoding"); varies != test.varies || answer["Vary"][0] != "Origin" {
				t.Errorf("Vary: %q", answer["Vary"])
			}
		})
	}
}

func TestGzipTo(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var wait sync.WaitGroup
	for i := range 50 {
		most := 8 << 10
		if i%10 == 0 {
			most = 200 << 10
		}
		src := make([]byte, random.IntN(most))
		for i := range src {
			src[i] = "abcdef{}"[random.IntN(8)]
		}
		wait.Go(func() { // the compressors are shared
			prefix := []byte("before")
			b := gzipTo(prefix, src)
			if !bytes.HasPrefix(b, prefix) || !bytes.Equal(unzip(t, b[len(prefix):]), src) {
				t.Errorf("%d bytes come back changed", len(src))
			}
		})
	}
	wait.Wait()
	if got := unzip(t, gzipTo(nil, nil)); len(got) != 0 {
		t.Errorf("nothing becomes %q", got)
	}
}

func BenchmarkGzip(b *testing.B) {
	var text []byte
	for i := range 2000 {
		text = fmt.Appendf(text, `{"title":"Book %d","author":"Ada Lovelace","price":{"amount":%d,"currency":"EUR"}},`, i, i*37%9999)
	}
	out := make([]byte, 0, len(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		out = gzipTo(out[:0], text)
	}
	b.ReportMetric(float64(len(out))/float64(len(text)), "ratio")
}
