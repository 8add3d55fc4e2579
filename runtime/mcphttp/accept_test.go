package mcphttp

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

func TestAcceptable(t *testing.T) {
	for _, test := range []struct {
		lines        []string
		json, stream bool
	}{
		{nil, true, true},
		{[]string{""}, true, true},
		{[]string{" , "}, true, true},
		{[]string{"*/*"}, true, true},
		{[]string{"application/json, text/event-stream"}, true, true},
		{[]string{"application/json,text/event-stream"}, true, true},
		{[]string{"text/event-stream", "application/json"}, true, true},
		{[]string{"Application/JSON, TEXT/Event-Stream"}, true, true},
		{[]string{"\tapplication/json\t,  text/event-stream  "}, true, true},
		{[]string{"application/*, text/*"}, true, true},
		{[]string{"application/json;charset=utf-8, text/event-stream; x=y"}, true, true},
		{[]string{"application/json;q=0.001, text/event-stream;q=1.000"}, true, true},
		{[]string{"application/json"}, true, false},
		{[]string{"text/event-stream"}, false, true},
		{[]string{"application/*"}, true, false},
		{[]string{"text/*"}, false, true},
		{[]string{"text/html, image/png"}, false, false},
		{[]string{"text/html"}, false, false},
		{[]string{"application/jsonp, text/event-streams"}, false, false},
		{[]string{"json"}, false, false},
		{[]string{"*"}, false, false},
		{[]string{"*/json"}, false, false},

		{[]string{"*/*;q=0"}, false, false},
		{[]string{"*/*;q=0.000"}, false, false},
		{[]string{"*/*, application/json;q=0"}, false, true},
		{[]string{"application/json;q=0, */*"}, false, true},
		{[]string{"*/*, text/*;q=0"}, true, false},
		{[]string{"*/*, text/*;q=0, text/event-stream;q=0.1"}, true, true},
		{[]string{"*/*;q=0, application/json, text/event-stream"}, true, true},
		{[]string{"application/*;q=0, application/json", "*/*"}, true, true},
		{[]string{"application/json;q=0, application/json;q=0.5"}, true, false},
		{[]string{"application/json;q=0.5, application/json;q=0"}, true, false},
		{[]string{"application/json; q=0 , text/event-stream; Q=1"}, false, true},
		{[]string{"application/json;q=0.5;q=0"}, true, false},

		{[]string{"application/json;q=2"}, true, true}, // not a valid range
		{[]string{"application/json;q=2, text/html"}, false, false},
		{[]string{"application/json;q=1.001, text/event-stream"}, false, true},
		{[]string{"application/json;q=-1, text/event-stream"}, false, true},
		{[]string{"application/json;q=, text/event-stream"}, false, true},
		{[]string{"application/json;q=0.0001, text/event-stream"}, false, true},
		{[]string{"application/json;q=0.1000, text/event-stream"}, false, true},
		{[]string{"application/json;q=1., text/event-stream"}, true, true},
		{[]string{"application/json;q=0.00:, text/event-stream"}, false, true},
		{[]string{"application/json;q=0.00/, text/event-stream"}, false, true},
		{[]string{"application/json;q=0.09, text/event-stream"}, true, true},
		{[]string{`application/json;x="a,text/event-stream", text/html`}, true, false},
		{[]string{`application/json;x="a;q=0"`}, true, false},
		{[]string{`application/json;x="\";q=0,";q=0, text/event-stream`}, false, true},
		{[]string{`application/json;x="`}, true, false},
		{[]string{`application/json;x="\`}, true, false},
	} {
		json, stream := acceptable(http.Header{"Accept": test.lines})
		if json != test.json || stream != test.stream {
			t.Errorf("%q: %v, %v, want %v, %v", test.lines, json, stream, test.json, test.stream)
		}
	}
}

// The order of ranges, and their distribution over fields, do not matter.
func TestAcceptableInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	ranges := []string{"application/json", "text/event-stream", "application/*", "text/*", "*/*", "text/html"}
	for range 2000 {
		var elements []string
		for _, r := range ranges {
			if random.IntN(2) == 0 {
				elements = append(elements, fmt.Sprintf("%s;q=%d.%d", r, 0, random.IntN(3)))
			}
		}
		json, stream := acceptable(http.Header{"Accept": {strings.Join(elements, ",")}})
		random.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
		cut := random.IntN(len(elements) + 1)
		lines := []string{strings.Join(elements[:cut], " , "), strings.Join(elements[cut:], ",")}
		if j, s := acceptable(http.Header{"Accept": lines}); j != json || s != stream {
			t.Fatalf("%q: %v, %v, but in another order %v, %v", lines, j, s, json, stream)
		}
	}
}

// FuzzAccept checks that an appended range counts, whatever precedes it.
func FuzzAccept(f *testing.F) {
	for _, line := range []string{"", "*/*", "application/json;q=0", `a/b;x="`, `a/b;x="\`, "text/*;q=0.5, , ;q=1", "gzip;q=0, *", "identity;q=0.5, gzip"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		json, stream := acceptable(http.Header{"Accept": {line}})
		more, also := acceptable(http.Header{"Accept": {line, "application/json"}})
		switch {
		case !more:
			t.Fatalf("%q, and application/json: no JSON", line)
		case also && !stream:
			t.Fatalf("%q, and application/json: a stream is acceptable", line)
		}
		less, _ := acceptable(http.Header{"Accept": {line, "application/json;q=0"}})
		if less && !json {
			t.Fatalf("%q, and no JSON: JSON is acceptable", line)
		}
		acceptsGzip(http.Header{"Accept-Encoding": {line}})
		if !acceptsGzip(http.Header{"Accept-Encoding": {line, "gzip"}}) {
			t.Fatalf("%q, and gzip: no gzip", line)
		}
	})
}

func TestAcceptableAllocations(t *testing.T) {
	h := http.Header{"Accept": {"application/json, text/event-stream;q=0.9, */*;q=0.1"}, "Accept-Encoding": {"gzip, deflate, br;q=0.5"}}
	if n := testing.AllocsPerRun(100, func() {
		acceptable(h)
		acceptsGzip(h)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
