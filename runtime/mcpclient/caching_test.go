package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// cacheClient is the caching part of a client, with a server that numbers its results.
type cacheClient struct {
	resultCache
	answer func(r *Request) (fetched, error)
	sent   int
}

func newCacheClient(cache Cache, target Target) *cacheClient {
	c := &cacheClient{resultCache: resultCache{cache: cache, target: target, key: target.Key(), declared: []byte("{}")}}
	c.hints(`"ttlMs":60000,"cacheScope":"private"`)
	return c
}

// hints makes the server add these members to each result.
func (c *cacheClient) hints(members string) {
	c.answer = func(*Request) (fetched, error) {
		return fetched{result: fmt.Appendf(nil, `{"n":%d,%s}`, c.sent, members), hints: true}, nil
	}
}

func (c *cacheClient) fail(err error) {
	c.answer = func(*Request) (fetched, error) { return fetched{}, err }
}

// do sends a request, and returns the number in the result, or 0 for an error.
func (c *cacheClient) do(method, params string, options ...RequestOption) int {
	r := &Request{Method: method, Params: json.RawMessage(params), options: new(requestOptions)}
	for _, option := range options {
		option(r.options)
	}
	if method == "resources/read" {
		var p struct{ URI string }
		_ = json.Unmarshal(r.Params, &p)
		r.Name = p.URI
	}
	return c.page(r)
}

func (c *cacheClient) page(r *Request) int {
	result, err := c.request(r, func() (fetched, error) {
		c.sent++
		return c.answer(r)
	})
	if err != nil {
		return 0
	}
	var got struct{ N int }
	if err := json.Unmarshal(result, &got); err != nil {
		panic(err)
	}
	return got.N
}

const (
	listTools    = "tools/list"
	readResource = "resources/read"
)

func expectResults(t *testing.T, what string, got, want []int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: results %d, want %d", what, got, want)
	}
}

// TestFreshness checks for how long a result is used, depending on the server's hints.
func TestFreshness(t *testing.T) {
	for ttl, want := range map[string]time.Duration{
		`"ttlMs":1000`:                time.Second,
		`"ttlMs":1e3`:                 time.Second,
		`"ttlMs":1`:                   time.Millisecond,
		`"ttlMs":0`:                   0,
		`"ttlMs":-0`:                  0,
		`"ttlMs":-1`:                  0,
		`"ttlMs":-1e300`:              0,
		`"ttlMs":1.5`:                 0,
		`"ttlMs":"1000"`:              0,
		`"ttlMs":null`:                0,
		`"ttlMs":[1000]`:              0,
		`"ttlMs":{}`:                  0,
		`"ttlms":1000`:                0,
		`"a":{"ttlMs":1000}`:          0,
		`"ttlMs":86400000`:            24 * time.Hour,
		`"ttlMs":86400001`:            24 * time.Hour,
		`"ttlMs":1000000000000000000`: 24 * time.Hour,
		`"ttlMs":9223372036854775808`: 24 * time.Hour,
		`"ttlMs":1e400`:               24 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCacheClient(NewCache(0, 0), keyTarget("server"))
			c.hints(ttl + `,"cacheScope":"public"`)
			first := c.do(listTools, ``)
			if want > 0 {
				time.Sleep(want - time.Nanosecond)
				expectResults(t, ttl+" just before", []int{c.do(listTools, ``)}, []int{first})
				time.Sleep(time.Nanosecond)
			}
			expectResults(t, ttl+" after", []int{c.do(listTools, ``)}, []int{first + 1})
		})
	}
}

// An entry of another client or another version is used for a day at most.
func TestForeignEntries(t *testing.T) {
	now := time.Now()
	for name, e := range map[string]CacheEntry{
		"fresh for a year": {Result: []byte(`{"n":99}`), At: now, Until: now.Add(365 * 24 * time.Hour)},
		"stale":            {Result: []byte(`{"n":99}`), At: now, Until: now},
		"too old":          {Result: []byte(`{"n":99}`), At: now.Add(-25 * time.Hour), Until: now.Add(time.Hour)},
	} {
		cache := NewCache(0, 0)
		c := newCacheClient(cache, keyTarget("server"))
		l, _ := c.lookup(&Request{Method: listTools, options: new(requestOptions)})
		cache.Put(l.shared, e)
		if got := c.do(listTools, ``); got != 1 {
			t.Errorf("%s: used", name)
		}
	}
}

// TestCacheKeys checks which requests share a result.
func TestCacheKeys(t *testing.T) {
	clients := map[string]*cacheClient{}
	for _, row := range []struct {
		method, params string
		options        []RequestOption
		same           bool // as the first request of the method
	}{
		{listTools, ``, nil, true},
		{listTools, ``, nil, true},
		{listTools, `{"cursor":"2"}`, nil, false},
		{listTools, `{"cursor":"3"}`, nil, false},
		{listTools, ``, []RequestOption{WithMeta("a", 1)}, false},
		{listTools, ``, []RequestOption{WithMeta("a", 2)}, false},
		{listTools, ``, []RequestOption{WithProgress(func(Progress) {}), WithTimeout(1), WithStale()}, true},
		{listTools, ``, []RequestOption{WithMeta("a", func() {})}, false},
		{"prompts/list", ``, nil, true},
		{"prompts/list", ``, nil, true},
		{readResource, `{"uri":"a:b","x":1}`, nil, true},
		{readResource, `{"uri":"a:b","x":1}`, nil, true},
		{readResource, `{"uri":"a:c"}`, nil, false},
		{readResource, `{"uri":"a:B","x":1}`, nil, false},
		{"tools/call", `{"name":"t"}`, nil, true},
		{"tools/call", `{"name":"t"}`, nil, false},
		{"prompts/get", `{"name":"t"}`, nil, true},
		{"prompts/get", `{"name":"t"}`, nil, false},
		{"completion/complete", ``, nil, true},
		{"completion/complete", ``, nil, false},
	} {
		c, ok := clients[row.method]
		if !ok {
			c = newCacheClient(NewCache(0, 0), keyTarget("server"))
			clients[row.method] = c
			expectResults(t, row.method, []int{c.do(row.method, row.params, row.options...)}, []int{1})
			continue
		}
		before := c.sent
		got := c.do(row.method, row.params, row.options...)
		if row.same != (got == 1) || row.same != (c.sent == before) {
			t.Errorf("%s %s with %d options: result %d after %d requests", row.method, row.params, len(row.options), got, before)
		}
	}
}

// TestCacheSharing checks which clients share results over one Cache.
func TestCacheSharing(t *testing.T) {
	plain := keyTarget("server")
	for name, pair := range map[string]struct {
		first, second   Target
		public, private bool // whether they share it
	}{
		"no credentials":               {plain, plain, true, true},
		"another server":               {plain, keyTarget("other"), false, false},
		"one and the same credentials": {authorizedTarget{plain, "ann", true}, authorizedTarget{plain, "ann", true}, true, true},
		"other credentials":            {authorizedTarget{plain, "ann", true}, authorizedTarget{plain, "bob", true}, true, false},
		"credentials and none":         {authorizedTarget{plain, "ann", true}, plain, true, false},
		"none and credentials":         {plain, authorizedTarget{plain, "ann", true}, true, false},
		"a name like none":             {plain, authorizedTarget{plain, "none", true}, true, false},
		"unknown credentials":          {authorizedTarget{plain, "", true}, authorizedTarget{plain, "", true}, true, false},
		"unknown credentials and none": {authorizedTarget{plain, "", true}, plain, true, false},
		"an Authorizer of nil":         {authorizedTarget{plain, "", false}, plain, true, true},
		"targets that do not say":      {plainTarget{plain}, plainTarget{plain}, true, false},
		"one that does not, and none":  {plainTarget{plain}, plain, true, false},
		"none, and one that does not":  {plain, plainTarget{plain}, true, false},
		"one dial function":            {Dialer("d", nil), Dialer("d", nil), true, false},
		"one program":                  {Command{Path: "p"}, Command{Path: "p"}, true, true},
		"one program with everything":  {Command{Path: "p", InheritEnv: true}, Command{Path: "p", InheritEnv: true}, true, false},
	} {
		for hint, want := range map[string]bool{`"public"`: pair.public, `"private"`: pair.private, `"PUBLIC"`: pair.private, `1`: pair.private} {
			cache := NewCache(0, 0)
			first, second := newCacheClient(cache, pair.first), newCacheClient(cache, pair.second)
			first.hints(`"ttlMs":1000,"cacheScope":` + hint)
			second.sent = 10
			first.do(listTools, ``)
			if got := second.do(listTools, ``); (got == 1) != want {
				t.Errorf("%s, %s: result %d", name, hint, got)
			}
		}
		// A client gets its own result again only if its context is known.
		if own := newCacheClient(NewCache(0, 0), pair.first); pair.public {
			_, named := authorizationContext(pair.first)
			if first, second := own.do(listTools, ``), own.do(listTools, ``); (first == second) != named {
				t.Errorf("%s: results %d and %d of one client", name, first, second)
			}
		}
		// Clients with separate Caches never share.
		first, second := newCacheClient(NewCache(0, 0), pair.first), newCacheClient(NewCache(0, 0), pair.second)
		first.hints(`"ttlMs":1000,"cacheScope":"public"`)
		second.sent = 10
		first.do(listTools, ``)
		if got := second.do(listTools, ``); got != 11 {
			t.Errorf("%s: result %d without a shared cache", name, got)
		}
	}
	// Capabilities are a parameter.
	cache := NewCache(0, 0)
	first, second := newCacheClient(cache, plain), newCacheClient(cache, plain)
	second.declared, second.sent = []byte(`{"roots":{}}`), 10
	first.do(listTools, ``)
	if got := second.do(listTools, ``); got != 11 {
		t.Errorf("other capabilities: result %d", got)
	}
}

// The scope of a result may change; the newest scope applies.
func TestScopeChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache(0, 0)
		ann := newCacheClient(cache, authorizedTarget{"server", "ann", true})
		bob := newCacheClient(cache, authorizedTarget{"server", "bob", true})
		bob.sent = 10
		ann.hints(`"ttlMs":1000,"cacheScope":"public"`)
		bob.hints(`"ttlMs":1000,"cacheScope":"private"`)
		expectResults(t, "shared", []int{ann.do(listTools, ``), bob.do(listTools, ``)}, []int{1, 1})
		expectResults(t, "private by now", []int{bob.do(listTools, ``, WithoutCache()), ann.do(listTools, ``), bob.do(listTools, ``)}, []int{11, 2, 2})
		time.Sleep(time.Second)
		ann.hints(`"ttlMs":1000,"cacheScope":"private"`)
		expectResults(t, "private", []int{ann.do(listTools, ``), bob.do(listTools, ``), ann.do(listTools, ``), bob.do(listTools, ``)}, []int{3, 12, 3, 12})
		time.Sleep(time.Second)
		bob.hints(`"ttlMs":1000,"cacheScope":"public"`)
		expectResults(t, "public again", []int{bob.do(listTools, ``), ann.do(listTools, ``), bob.do(listTools, ``)}, []int{13, 13, 13})
		ann.hints(`"ttlMs":0,"cacheScope":"public"`)
		expectResults(t, "not kept any more", []int{ann.do(listTools, ``, WithoutCache()), ann.do(listTools, ``), bob.do(listTools, ``)}, []int{4, 5, 14})
	})
}

// Each page of a list is cached by itself. If one page is private, all are.
func TestCachePages(t *testing.T) {
	list := func(c *cacheClient) (got []int) {
		o := new(requestOptions)
		for _, params := range []string{``, `{"cursor":"2"}`, `{"cursor":"3"}`} {
			got = append(got, c.page(&Request{Method: listTools, Params: json.RawMessage(params), options: o}))
		}
		return got
	}
	for scopes, want := range map[string][]int{
		"public public public":    {1, 2, 3},
		"public private public":   {11, 12, 13},
		"private public public":   {11, 12, 13},
		"public public private":   {11, 12, 13},
		"private private private": {11, 12, 13},
	} {
		cache := NewCache(0, 0)
		ann := newCacheClient(cache, authorizedTarget{"server", "ann", true})
		bob := newCacheClient(cache, authorizedTarget{"server", "bob", true})
		bob.sent = 10
		ann.answer = func(*Request) (fetched, error) {
			return fetched{result: fmt.Appendf(nil, `{"n":%d,"ttlMs":1000,"cacheScope":%q}`, ann.sent, strings.Fields(scopes)[(ann.sent-1)%3]), hints: true}, nil
		}
		list(ann)
		expectResults(t, scopes, list(bob), want)
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCacheClient(NewCache(0, 0), keyTarget("server"))
		c.answer = func(*Request) (fetched, error) {
			return fetched{result: fmt.Appendf(nil, `{"n":%d,"ttlMs":%d,"cacheScope":"public"}`, c.sent, 1000*c.sent), hints: true}, nil
		}
		expectResults(t, "first", list(c), []int{1, 2, 3})
		time.Sleep(1500 * time.Millisecond)
		expectResults(t, "one page is stale", list(c), []int{4, 2, 3})
		// A refused cursor means that the earlier pages belong to another list.
		c.answer = func(*Request) (fetched, error) {
			if c.sent == 5 {
				return fetched{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such cursor"}
			}
			return fetched{result: fmt.Appendf(nil, `{"n":%d,"ttlMs":9000,"cacheScope":"public"}`, c.sent), hints: true}, nil
		}
		time.Sleep(500 * time.Millisecond)
		expectResults(t, "an invalid cursor", list(c), []int{4, 0, 6})
		expectResults(t, "from the beginning", list(c), []int{7, 8, 6})
	})
}

// TestCacheChanges checks which results each notification makes stale.
func TestCacheChanges(t *testing.T) {
	requests := []struct{ method, params string }{
		{listTools, ``},
		{listTools, `{"cursor":"2"}`},
		{"prompts/list", ``},
		{"resources/list", ``},
		{"resources/templates/list", ``},
		{readResource, `{"uri":"file:///a"}`},
		{readResource, `{"uri":"file:///a/b"}`},
		{readResource, `{"uri":"file:///ab"}`},
	}
	for _, row := range []struct {
		change  Change
		dropped string // a digit for each request
	}{
		{Change{Method: ToolsChanged}, "11000000"},
		{Change{Method: PromptsChanged}, "00100000"},
		{Change{Method: ResourcesChanged}, "00011000"},
		{Change{ResourceUpdated, "file:///a"}, "00000100"},
		{Change{ResourceUpdated, "file:///a/b"}, "00000110"},
		{Change{ResourceUpdated, "file:///a/b?c"}, "00000110"},
		{Change{ResourceUpdated, "file:///ab#c"}, "00000001"},
		{Change{ResourceUpdated, "file:///"}, "00000000"},
		{Change{ResourceUpdated, ""}, "00000000"},
		{Change{Method: "notifications/progress"}, "00000000"},
	} {
		for _, scope := range []string{"public", "private"} {
			cache := NewCache(0, 0)
			ann := newCacheClient(cache, authorizedTarget{"server", "ann", true})
			bob := newCacheClient(cache, authorizedTarget{"server", "bob", true})
			other := newCacheClient(cache, keyTarget("other"))
			clients := []*cacheClient{ann, bob, other}
			for _, c := range clients {
				c.hints(`"ttlMs":1000,"cacheScope":"` + scope + `"`)
				for _, r := range requests {
					c.do(r.method, r.params)
				}
			}
			ann.changed(row.change)
			ann.changed(row.change)
			for i, r := range requests {
				ann.do("prompts/list", `{"cursor":"unrelated"}`) // any request makes the client drop entries
				for n, c := range clients {
					before := c.sent
					c.do(r.method, r.params)
					want := row.dropped[i] == '1' && c != other
					if scope == "public" && c == bob {
						want = false // ann has fetched it
					}
					if (c.sent > before) != want {
						t.Errorf("%v, %s, client %d: %s %s fetched: %v", row.change, scope, n, r.method, r.params, c.sent > before)
					}
				}
			}
		}
	}
}

// A result requested before a change is used once, and not cached.
func TestChangeWhileFetching(t *testing.T) {
	for name, change := range map[string]func(c *cacheClient){
		"changed": func(c *cacheClient) { c.changed(Change{Method: ToolsChanged}) },
		"lost":    func(c *cacheClient) { c.lost() },
	} {
		c := newCacheClient(NewCache(0, 0), keyTarget("server"))
		answer := c.answer
		c.answer = func(r *Request) (fetched, error) {
			if c.sent == 1 {
				change(c)
			}
			return answer(r)
		}
		expectResults(t, name, []int{c.do(listTools, ``), c.do(listTools, ``), c.do(listTools, ``)}, []int{1, 2, 2})
	}
}

// More announced changes than the client records make all results stale.
func TestManyChanges(t *testing.T) {
	c := newCacheClient(NewCache(0, 0), keyTarget("server"))
	c.do(listTools, ``)
	c.do(readResource, `{"uri":"a:b"}`)
	for i := range 10_000 {
		c.changed(Change{ResourceUpdated, fmt.Sprint("x:", i)})
	}
	if n := len(c.pending); n > maxPending+1 {
		t.Errorf("%d changes are remembered", n)
	}
	expectResults(t, "after", []int{c.do(listTools, ``), c.do(readResource, `{"uri":"a:b"}`), c.do(listTools, ``)}, []int{3, 4, 3})
}

func TestStale(t *testing.T) {
	down := &ConnectionError{Err: errors.New("down")}
	synctest.Test(t, func(t *testing.T) {
		c := newCacheClient(NewCache(0, 0), keyTarget("server"))
		c.do(listTools, ``)
		c.fail(down)
		expectResults(t, "fresh", []int{c.do(listTools, ``), c.do(listTools, ``, WithoutCache()), c.do(listTools, ``, WithoutCache(), WithStale())}, []int{1, 0, 1})
		time.Sleep(time.Hour)
		expectResults(t, "stale", []int{c.do(listTools, ``), c.do(listTools, ``, WithStale()), c.do(listTools, `{"cursor":"2"}`, WithStale())}, []int{0, 1, 0})
		for err, want := range map[error]int{
			down:                           1,
			ErrTimeout:                     1,
			&StatusError{Status: 503}:      1,
			&StatusError{Status: 401}:      0,
			&StatusError{Status: 403}:      0,
			&jsonrpc.Error{Code: -32603}:   1,
			&jsonrpc.Error{Code: -32000}:   1,
			&jsonrpc.Error{Code: -32601}:   0,
			&jsonrpc.Error{Code: -32602}:   0,
			&jsonrpc.Error{Code: -32002}:   0,
			context.Canceled:               0,
			fmt.Errorf("x: %w", ErrClosed): 0,
		} {
			c.fail(err)
			if got := c.do(listTools, ``, WithStale()); got != want {
				t.Errorf("%v: result %d, want %d", err, got, want)
			}
		}
		c.fail(down)
		c.changed(Change{Method: ToolsChanged})
		expectResults(t, "known to be changed", []int{c.do(listTools, ``, WithStale())}, []int{0})
		c.hints(`"ttlMs":60000,"cacheScope":"private"`)
		c.sent = 0
		c.do(listTools, ``)
		c.lost()
		c.fail(down)
		expectResults(t, "after a loss", []int{c.do(listTools, ``), c.do(listTools, ``, WithStale())}, []int{0, 1})
		c.hints(`"ttlMs":60000,"cacheScope":"private"`)
		expectResults(t, "connected again", []int{c.do(listTools, ``), c.do(listTools, ``)}, []int{4, 4})
		c.fail(down)
		time.Sleep(25 * time.Hour)
		expectResults(t, "after a day", []int{c.do(listTools, ``, WithStale())}, []int{0})

		// WithStale keeps results that are stale at once, also in revisions without hints.
		for _, hints := range []bool{false, true} {
			c.sent = 0
			c.answer = func(*Request) (fetched, error) {
				return fetched{result: fmt.Appendf(nil, `{"n":%d,"ttlMs":0}`, c.sent), hints: hints}, nil
			}
			expectResults(t, "no time", []int{c.do(listTools, ``, WithStale()), c.do(listTools, ``)}, []int{1, 2})
			c.do(listTools, ``, WithStale())
			c.fail(down)
			expectResults(t, "no time, stale", []int{c.do(listTools, ``), c.do(listTools, ``, WithStale())}, []int{0, 3})
		}
	})
}

// Results of rounds depend on the client's answers, and revisions before 2026-07-28 have no hints,
// even if a result has members of those names.
func TestNotCached(t *testing.T) {
	for name, f := range map[string]fetched{"rounds": {rounds: 1, hints: true}, "no hints": {}} {
		c := newCacheClient(NewCache(0, 0), keyTarget("server"))
		c.answer = func(*Request) (fetched, error) {
			f.result = fmt.Appendf(nil, `{"n":%d,"ttlMs":1000,"cacheScope":"public"}`, c.sent)
			return f, nil
		}
		expectResults(t, name, []int{c.do(readResource, `{"uri":"a:b"}`), c.do(readResource, `{"uri":"a:b"}`)}, []int{1, 2})
	}
}

// A caller that modifies a result does not modify the cache.
func TestCacheCopies(t *testing.T) {
	c := newCacheClient(NewCache(0, 0), keyTarget("server"))
	r := &Request{Method: readResource, Name: "a:b", Params: json.RawMessage(`{"uri":"a:b"}`), options: new(requestOptions)}
	for i := range 3 {
		result, err := c.request(r, func() (fetched, error) {
			return fetched{result: []byte(`{"n":1,"ttlMs":1000}`), hints: true}, nil
		})
		if err != nil || string(result) != `{"n":1,"ttlMs":1000}` {
			t.Errorf("%d: %s %v", i, result, err)
		}
		clear(result)
	}
}

func TestCacheIsBounded(t *testing.T) {
	key := func(i int) CacheKey { return CacheKey{Target: "t", Method: listTools, Params: fmt.Sprint(i)} }
	for _, row := range []struct{ bytes, entries, size, want int }{
		{0, 0, 1, 512},
		{0, 0, 1 << 20, 15},
		{0, 0, 17 << 20, 0},
		{10_000, 3, 1, 3},
		{10_000, 100, 4500, 2},
		{1, 100, 1, 0},
	} {
		cache := NewCache(row.bytes, row.entries)
		result := make([]byte, row.size)
		for i := range 600 {
			cache.Put(key(i), CacheEntry{Result: result, At: time.Now()})
			cache.Get(key(0)) // the most recently used one stays
		}
		n := 0
		for i := range 600 {
			if _, ok := cache.Get(key(i)); ok {
				n++
			}
		}
		_, first := cache.Get(key(0))
		if n != row.want || first != (row.want > 0) {
			t.Errorf("%+v: %d entries; the one in use is there: %v", row, n, first)
		}
		cache.Drop(func(k CacheKey) bool { return true })
		if c := cache.(*memoryCache); c.kept.used != 0 || len(c.kept.items) != 0 || c.kept.order.Len() != 0 {
			t.Errorf("%+v: %d bytes after all was dropped", row, c.kept.used)
		}
	}
}

// Many clients use one Cache at the same time. No client gets a result that changed before its
// request.
func TestCacheTogether(t *testing.T) {
	cache := NewCache(0, 0)
	var mu sync.Mutex
	version := 0
	var group sync.WaitGroup
	c := &resultCache{cache: cache, target: keyTarget("server"), key: "server"}
	for i := range 4 {
		group.Go(func() {
			for n := range 500 {
				if i == 0 && n%5 == 0 {
					mu.Lock()
					version++
					mu.Unlock()
					c.changed(Change{Method: ToolsChanged})
				}
				mu.Lock()
				oldest := version
				mu.Unlock()
				result, err := c.request(&Request{Method: listTools, options: new(requestOptions)}, func() (fetched, error) {
					mu.Lock()
					defer mu.Unlock()
					return fetched{result: fmt.Appendf(nil, `{"n":%d,"ttlMs":1000}`, version), hints: true}, nil
				})
				var got struct{ N int }
				if err != nil || json.Unmarshal(result, &got) != nil {
					t.Error(err)
				}
				if i == 0 && got.N < oldest {
					t.Errorf("got %d, which was changed to %d before", got.N, oldest)
				}
			}
		})
	}
	group.Wait()
}

// changingTarget sends the credentials of the user who logged in last.
type changingTarget struct {
	keyTarget
	user string
}

func (c *changingTarget) AuthorizationContext() (context string, ok bool) { return c.user, true }

// TestLoginWhileFetching: a result that is fetched while another user logs in is cached for neither
// user, and results of the first user are not returned to the second.
func TestLoginWhileFetching(t *testing.T) {
	target := &changingTarget{"server", "ann"}
	c := newCacheClient(NewCache(0, 0), target)
	next := c.answer
	login := func(err error) {
		c.answer = func(r *Request) (fetched, error) {
			target.user = "bob"
			if err != nil {
				return fetched{}, err
			}
			return next(r)
		}
	}
	login(nil)
	got := []int{c.do(listTools, ``), c.do(listTools, ``), c.do(listTools, ``)}
	target.user = "ann"
	got = append(got, c.do(listTools, ``)) // bob logs in during the request
	target.user = "ann"
	c.answer = next
	got = append(got, c.do(listTools, ``), c.do(listTools, ``))
	expectResults(t, "private results", got, []int{1, 2, 2, 3, 4, 4})

	login(errors.New("refused"))
	got = []int{c.do(listTools, ``, WithoutCache(), WithStale())}
	target.user = "ann"
	c.fail(errors.New("refused"))
	got = append(got, c.do(listTools, ``, WithoutCache(), WithStale()))
	expectResults(t, "stale results", got, []int{0, 4})
}
