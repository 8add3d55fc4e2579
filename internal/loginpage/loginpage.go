// Package loginpage simulates a browser, and the person in front of it, at the page of an
// mcpissuer.Issuer. It is for tests.
package loginpage

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// Choice is a person's choice on the page.
type Choice struct {
	// Persona is the chosen persona; "" is the one that the page proposes.
	Persona string
	// Scopes returns the scopes on the page that remain selected. Nil selects all.
	Scopes func(asked []string) []string
	// Deny refuses the client's request.
	Deny bool
}

// maxPage limits the bytes of a page.
const maxPage = 1 << 20

// Open opens an authorization URL, makes the choice, and follows the issuer's redirect, for clients
// that wait there.
func Open(ctx context.Context, address string, c Choice) error {
	callback, err := Answer(ctx, address, c)
	if err != nil {
		return err
	}
	_, _, err = get(ctx, http.DefaultClient, callback)
	return err
}

// Answer opens an authorization URL and makes the choice. It returns the URL of the issuer's
// redirect.
func Answer(ctx context.Context, address string, c Choice) (callback string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, page, err := get(ctx, browser, address)
	if err != nil {
		return "", err
	}
	if to := resp.Header.Get("Location"); to != "" {
		return to, nil // an error for the client
	}
	form := url.Values{"decision": {"allow"}, "ticket": values(page, "ticket"), "persona": {c.Persona}, "scopes": values(page, "scopes")}
	if c.Persona == "" {
		form["persona"] = checked.find(page)
	}
	if c.Scopes != nil {
		form["scopes"] = c.Scopes(form["scopes"])
	}
	if c.Deny {
		form.Set("decision", "deny")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	resp, _, err = do(browser, r)
	if err != nil {
		return "", err
	}
	if to := resp.Header.Get("Location"); to != "" {
		return to, nil
	}
	return "", errors.New("the issuer has not sent the browser back to the client")
}

// attribute matches elements and captures the value of an attribute.
type attribute struct{ *regexp.Regexp }

// checked matches the persona that the page proposes.
var checked = attribute{regexp.MustCompile(`<input type="radio" name="persona" value="([^"]*)" checked>`)}

// values returns the values of the inputs with a name.
func values(page, name string) []string {
	return attribute{regexp.MustCompile(`<input type="\w+" name="` + name + `" value="([^"]*)"`)}.find(page)
}

func (a attribute) find(page string) (all []string) {
	for _, m := range a.FindAllStringSubmatch(page, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

func get(ctx context.Context, client *http.Client, address string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", err
	}
	return do(client, r)
}

// do sends a request. A status from 400 on is an error.
func do(client *http.Client, r *http.Request) (*http.Response, string, error) {
	resp, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, "", err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, "", fmt.Errorf("%s %s%s: %s: %.500s", r.Method, r.URL.Host, r.URL.Path, resp.Status, text)
	}
	return resp, string(text), nil
}
