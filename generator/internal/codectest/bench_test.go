package codectest

import (
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// arguments are 560 bytes, as a client sends them.
const arguments = `{"query":"distributed systems and the people who run them","limit":25,"offset":100,"sort":"year","exact":false,` +
	`"filters":[{"field":"language","op":"in","values":["en","de","fr"],"boost":1.5},{"field":"year","op":"gt","values":["1990"]},` +
	`{"field":"publisher","op":"ne","values":["Example Press","Sample House & Company"],"boost":0.25}],` +
	`"labels":{"tenant":"north","trace":"7f3a19c2b0d4","source":"assistant"},"weights":{"title":0.75,"author":0.5,"text":0.125},` +
	`"page":{"number":5,"size":25,"cursor":"b2Zmc2V0OjEwMA=="},"since":"2024-02-29T12:30:00.25+01:00"}`

// hits are 1.1 KB of JSON.
var hits = func() *Hits {
	h := &Hits{Total: 7, Took: 0.0123}
	for i := range 7 {
		b := Book{
			ID: 9007199254740993 + int64(i), Title: "The Book of Räume, volume " + string(rune('A'+i)),
			Authors: []string{"Ada Example", "B. \"Bee\" Sample"}, Year: 1990 + i, Price: 12.5 * float64(i+1), InPrint: i%2 == 0,
		}
		if i == 0 {
			b.Tags = map[string]string{"shelf": "7", "colour": "blue"}
		}
		h.Books = append(h.Books, b)
	}
	return h
}()

// decode reads arguments as a handler does.
func decode(d *wire.Decoder, data []byte, o wire.Options) (Query, error) {
	var q Query
	d.Reset(data, o)
	mcpDecodeQuery(d, &q)
	return q, d.Finish()
}

func TestSameAsEncodingJSON(t *testing.T) {
	if n := len(arguments); n < 550 || n > 570 {
		t.Errorf("the arguments are %d bytes", n)
	}
	got, err := decode(new(wire.Decoder), []byte(arguments), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want Query
	if err := json.Unmarshal([]byte(arguments), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %#v\nwant %#v", got, want)
	}

	e := wire.NewEncoder(nil)
	mcpEncodeHits(e, hits)
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	text, err := json.Marshal(hits)
	if err != nil {
		t.Fatal(err)
	}
	if string(e.Bytes()) != string(text) {
		t.Errorf("\n got %s\nwant %s", e.Bytes(), text)
	}
	if n := len(text); n < 1050 || n > 1150 {
		t.Errorf("the result is %d bytes", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := []byte(arguments)
	d := new(wire.Decoder)
	compare(b, len(data), func() {
		if _, err := decode(d, data, wire.Options{}); err != nil {
			b.Fatal(err)
		}
	}, func() {
		var q Query
		if err := json.Unmarshal(data, &q); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	e := new(wire.Encoder)
	mcpEncodeHits(e, hits)
	compare(b, len(e.Bytes()), func() {
		e.Reset()
		mcpEncodeHits(e, hits)
	}, func() {
		if _, err := json.Marshal(hits); err != nil {
			b.Fatal(err)
		}
	})
}

// compare measures the generated codec, encoding/json, and the ratio of the two, for which they
// alternate: other work of the machine slows both. Each turn begins without the garbage of the
// other.
func compare(b *testing.B, size int, generated, standard func()) {
	for _, c := range []struct {
		name string
		run  func()
	}{{"generated", generated}, {"encoding-json", standard}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				c.run()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		turn := func(run func()) time.Duration {
			runtime.GC()
			start := time.Now()
			for range 2000 {
				run()
			}
			return time.Since(start)
		}
		var ratios []float64
		for b.Loop() {
			ratios = append(ratios, float64(turn(generated))/float64(turn(standard)))
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "generated/standard")
		b.ReportMetric(0, "ns/op")
	})
}
