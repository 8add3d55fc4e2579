package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// oidcPlan configures oidc-provider; issuer.mjs describes it.
type oidcPlan struct {
	Format   string `json:"format"`
	Lifetime int    `json:"lifetime"` // seconds
	Once     bool   `json:"once"`     // no refresh tokens
	Short    bool   `json:"short"`    // the settings of issuer.mjs that the documentation needs
}

// oidcIssuer is oidc-provider in a separate process.
type oidcIssuer struct {
	url string

	mu     sync.Mutex
	ledger []oidcEvent
}

// oidcEvent is a token or grant that it has issued.
type oidcEvent struct {
	Issuer, Event, ID, Grant, Error string
}

// startOIDC starts oidc-provider until the end of the test.
func startOIDC(t *testing.T, p oidcPlan) *oidcIssuer {
	t.Helper()
	command := exec.Command(node(t), "issuer.mjs", string(marshal(t, p)))
	command.Dir = clients
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	i, lines := &oidcIssuer{}, bufio.NewScanner(stdout)
	read := make(chan struct{})
	started := make(chan string, 1)
	go func() {
		defer close(read)
		for lines.Scan() {
			var e oidcEvent
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				continue // notices of the provider itself
			}
			if e.Issuer != "" {
				started <- e.Issuer
				continue
			}
			i.mu.Lock()
			i.ledger = append(i.ledger, e)
			i.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		late := time.AfterFunc(deadline, func() { _ = command.Process.Kill() })
		defer late.Stop()
		<-read
		if err := command.Wait(); err != nil {
			t.Errorf("oidc-provider ended: %v", err)
		}
		if t.Failed() {
			for _, e := range i.ledger {
				t.Logf("ledger: %+v", e)
			}
		}
	})
	select {
	case i.url = <-started:
	case <-read:
		t.Fatal("oidc-provider ended before it served")
	case <-time.After(deadline):
		t.Fatal("oidc-provider does not start")
	}
	return i
}

// count counts events.
func (i *oidcIssuer) count(event string) (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, e := range i.ledger {
		if e.Event == event {
			n++
		}
	}
	return n
}

// await waits for n events: the ledger is written concurrently with the reply.
func (i *oidcIssuer) await(t *testing.T, event string, n int) {
	t.Helper()
	for end := time.Now().Add(deadline); i.count(event) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d %s, want %d", i.count(event), event, n)
		}
	}
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	formHidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// person returns a browser with its user, who fills in the fields of every form, and agrees to
// every request.
func person(fields map[string]string) func(context.Context, string) error {
	return func(ctx context.Context, to string) error {
		_, err := browse(ctx, to, fields, "")
		return err
	}
}

// browse opens a URL and follows the pages of an issuer. It ends at a page without a form, or at a
// redirect to a URL that begins with stop, which it returns without opening it.
func browse(ctx context.Context, to string, fields map[string]string, stop string) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	transport := nethttp.DefaultTransport.(*nethttp.Transport).Clone()
	defer transport.CloseIdleConnections()
	browser := &nethttp.Client{Jar: jar, Transport: transport, CheckRedirect: func(r *nethttp.Request, via []*nethttp.Request) error {
		if stop != "" && strings.HasPrefix(r.URL.String(), stop) {
			return nethttp.ErrUseLastResponse
		}
		return nil
	}}
	request, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodGet, to, nil)
	if err != nil {
		return "", err
	}
	for range 6 {
		response, err := browser.Do(request)
		if err != nil {
			return "", err
		}
		page, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return "", err
		}
		if at := response.Header.Get("Location"); at != "" && response.StatusCode < 400 {
			return at, nil
		}
		if response.StatusCode != nethttp.StatusOK {
			return "", fmt.Errorf("%s: %s: %s", response.Request.URL, response.Status, page)
		}
		form := formAction.FindSubmatch(page)
		if form == nil {
			return response.Request.URL.String(), nil
		}
		values := url.Values{}
		for _, hidden := range formHidden.FindAllSubmatch(page, -1) {
			values.Set(string(hidden[1]), string(hidden[2]))
		}
		for name, value := range fields {
			values.Set(name, value)
		}
		action, err := response.Request.URL.Parse(strings.ReplaceAll(string(form[1]), "&amp;", "&"))
		if err != nil {
			return "", err
		}
		if request, err = nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, action.String(), strings.NewReader(values.Encode())); err != nil {
			return "", err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return "", errors.New("the login has no end")
}
