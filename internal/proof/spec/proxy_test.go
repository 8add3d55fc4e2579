package spec

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A response that begins before the proxy has read the whole request is not cut.
func TestProxyBeforeEndOfRequest(t *testing.T) {
	Dir(t)
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		begin := make([]byte, len(body)-1)
		if _, err := io.ReadFull(r.Body, begin); err != nil {
			t.Error("begin of the request:", err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: first\n\n")
		_ = control.Flush()
		rest, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error("rest of the request:", err)
		}
		_, _ = io.WriteString(w, "data: "+string(begin)+string(rest)+"\n\n")
	}))
	defer server.Close()
	url, stop, err := NewTap(&complaints{TB: t}).Proxy(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, in := io.Pipe()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, out)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(len(body))
	begun := make(chan struct{})
	go func() {
		_, _ = io.WriteString(in, body[:len(body)-1])
		select {
		case <-begun:
		case <-ctx.Done():
		}
		_, _ = io.WriteString(in, body[len(body)-1:])
		_ = in.Close()
	}()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "data: first\n" {
		t.Fatalf("%q, %v", line, err)
	}
	close(begun)
	rest, err := io.ReadAll(lines)
	if want := "\ndata: " + body + "\n\n"; string(rest) != want || err != nil {
		t.Errorf("%q, %v; want %q", rest, err, want)
	}
}
