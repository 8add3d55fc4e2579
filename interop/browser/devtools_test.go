package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// screenshots is the directory for screenshots of the tests, for people.
var screenshots = flag.String("screenshots", "", "write the screenshots of pages and pictures to that `directory`")

// devtools is a browser that a test controls by the DevTools protocol, over a pipe: messages are
// JSON, each followed by a zero byte.
type devtools struct {
	t    *testing.T
	to   *os.File
	next int // id of the next request; a test sends them one after the other

	mu      sync.Mutex
	replies map[int]chan *reply
	tabs    map[string]*tab // by session
}

// reply is a message of the browser: the answer to a request, or an event.
type reply struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct{ Message string }
}

// tab is an open page. Its browser reports the errors in it and in its frames.
type tab struct {
	*devtools
	session string
	loaded  chan struct{}
	frame   int // the context in which eval runs scripts, or 0 for the page

	faults   []string // guarded by devtools.mu
	contexts []int    // of the scripts of the page and its frames, which share its process; guarded by devtools.mu
}

// control starts a browser for a test.
func control(t *testing.T) *devtools {
	t.Helper()
	path := find(t)
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server", "--hide-scrollbars",
		"--disable-features=IsolateSandboxedIframes", // a tab has one process, whose errors are all reported
		"--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--remote-debugging-pipe", "--user-data-dir="+profile)
	cmd.Env = append(os.Environ(), "HOME="+profile, "XDG_CONFIG_HOME="+filepath.Join(profile, "config"), "XDG_CACHE_HOME="+filepath.Join(profile, "cache"))
	cmd.ExtraFiles = []*os.File{theirs, written}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, 10*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirs.Close(), written.Close()
	d := &devtools{t: t, to: to, replies: map[int]chan *reply{}, tabs: map[string]*tab{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(from)
	}()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		_ = to.Close()
		<-read
		_ = from.Close()
		_ = os.RemoveAll(profile) // a late process may still write to it
		if t.Failed() {
			t.Log(tail(said.String()))
		}
	})
	return d
}

// read passes on messages of the browser, until it closes the pipe.
func (d *devtools) read(from *os.File) {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			break
		}
		m := &reply{}
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), m); err != nil {
			break
		}
		d.mu.Lock()
		if to := d.replies[m.ID]; m.ID > 0 && to != nil {
			delete(d.replies, m.ID)
			to <- m
		} else if tab := d.tabs[m.SessionID]; tab != nil {
			tab.event(m)
		}
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, to := range d.replies {
		delete(d.replies, id)
		to <- &reply{Error: &struct{ Message string }{"the browser has closed the pipe"}}
	}
}

// event handles an event, under the lock of the browser.
func (p *tab) event(m *reply) {
	switch m.Method {
	case "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	case "Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed":
		p.faults = append(p.faults, m.Method+" "+string(m.Params))
	case "Runtime.consoleAPICalled":
		p.faults = append(p.faults, "console "+string(m.Params))
	case "Runtime.executionContextCreated":
		var created struct{ Context struct{ ID int } }
		if err := json.Unmarshal(m.Params, &created); err != nil {
			p.faults = append(p.faults, err.Error())
		}
		p.contexts = append(p.contexts, created.Context.ID)
	case "Runtime.executionContextDestroyed":
		var destroyed struct{ ExecutionContextID int }
		if err := json.Unmarshal(m.Params, &destroyed); err != nil {
			p.faults = append(p.faults, err.Error())
		}
		p.contexts = slices.DeleteFunc(p.contexts, func(id int) bool { return id == destroyed.ExecutionContextID })
	case "Runtime.executionContextsCleared":
		p.contexts = nil
	}
}

// send sends a request, and stores its result unless result is nil.
func (d *devtools) send(session, method string, params, result any) {
	d.t.Helper()
	d.next++
	request := map[string]any{"id": d.next, "method": method, "params": params}
	if session != "" {
		request["sessionId"] = session
	}
	text, err := json.Marshal(request)
	if err != nil {
		d.t.Fatal(err)
	}
	answer := make(chan *reply, 1)
	d.mu.Lock()
	d.replies[d.next] = answer
	d.mu.Unlock()
	if _, err := d.to.Write(append(text, 0)); err != nil {
		d.t.Fatal(err)
	}
	m := <-answer
	if m.Error != nil {
		d.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			d.t.Fatalf("%s: %v", method, err)
		}
	}
}

// look describes a view of a page.
type look struct {
	width, height int
	dark, still   bool // still requests less motion
}

func (l look) String() string {
	name := fmt.Sprintf("%d-light", l.width)
	if l.dark {
		name = fmt.Sprintf("%d-dark", l.width)
	}
	if l.still {
		name += "-still"
	}
	return name
}

// show opens a page in a new tab, and waits until it is loaded.
func (d *devtools) show(url string, l look) *tab {
	d.t.Helper()
	var target struct{ TargetID string }
	d.send("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	d.send("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &tab{devtools: d, session: attached.SessionID, loaded: make(chan struct{}, 1)}
	d.mu.Lock()
	d.tabs[p.session] = p
	d.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil, nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": l.width, "height": l.height, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme, motion := "light", "no-preference"
	if l.dark {
		scheme = "dark"
	}
	if l.still {
		motion = "reduce"
	}
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion},
	}}, nil)
	d.t.Cleanup(func() { p.close(url) })
	var opened struct{ ErrorText string }
	p.do("Page.navigate", map[string]any{"url": url}, &opened)
	if opened.ErrorText != "" {
		d.t.Fatalf("%s: %s", url, opened.ErrorText)
	}
	<-p.loaded
	return p
}

// close reports the errors in the tab.
func (p *tab) close(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		p.t.Errorf("%s: %s", url, fault)
	}
}

func (p *tab) do(method string, params, result any) {
	p.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	p.send(p.session, method, params, result)
}

// eval returns the value of an expression in the page.
func (p *tab) eval(expression string, result any) {
	p.t.Helper()
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	if p.frame != 0 {
		params["contextId"] = p.frame
	}
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.do("Runtime.evaluate", params, &r)
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if err := json.Unmarshal(r.Result.Value, result); err != nil {
		p.t.Fatalf("%s: %v: %s", expression, err, r.Result.Value)
	}
}

// is checks that an expression is true in the page.
func (p *tab) is(expression string) {
	p.t.Helper()
	var yes bool
	if p.eval("Boolean("+expression+")", &yes); !yes {
		p.t.Errorf("not true in the page: %s", expression)
	}
}

// press presses a key.
func (p *tab) press(key, text string) {
	p.t.Helper()
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text}, nil)
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// screenshot returns an image of the window, which must not be blank.
func (p *tab) screenshot(name string) image.Image {
	p.t.Helper()
	var shot struct{ Data []byte }
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	if *screenshots != "" {
		if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), shot.Data, 0o644); err != nil {
			p.t.Error(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		p.t.Fatal(err)
	}
	if part := painted(img); !(part > 2) { // also for a format that pixelsOf does not support
		p.t.Errorf("%s is nearly blank: %.2f percent differ from the background", name, part)
	}
	return img
}

// painted returns the percentage of the pixels that differ from the background, the most frequent
// colour.
func painted(img image.Image) float64 {
	count := map[[4]byte]int{}
	most, pixels := 0, pixelsOf(img)
	for p := range slices.Chunk(pixels, 4) {
		c := [4]byte(p)
		count[c]++
		most = max(most, count[c])
	}
	return 100 * float64(len(pixels)/4-most) / float64(len(pixels)/4)
}

// pixelsOf returns the pixels of a screenshot, with four bytes each.
func pixelsOf(img image.Image) []byte {
	switch img := img.(type) {
	case *image.RGBA:
		return img.Pix
	case *image.NRGBA:
		return img.Pix
	}
	return nil
}
