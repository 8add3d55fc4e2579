package wire

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

type leniency struct {
	Int      int
	Float    float64
	Bool     bool
	Time     time.Time
	Duration time.Duration
	Color    string
	Text     string
	Short    string
	Needed   string
	Number   int
	Tags     []string
	Numbers  []int
	Colors   []string
	Lists    [][]string
	Pair     [2]int
	Inner    *leniency
	Inners   []leniency
	Ptr      *int
}

var leniencyFields = Fields{
	{Name: "int"}, {Name: "float"}, {Name: "bool"}, {Name: "time"}, {Name: "duration"}, {Name: "color"}, {Name: "text"}, {Name: "short"},
	{Must: "needed"}, {Must: "number"}, {Name: "tags"}, {Name: "numbers"}, {Name: "colors"}, {Name: "lists"},
	{Name: "pair"}, {Name: "inner"}, {Name: "inners"}, {Name: "ptr"},
}

var leniencyColors = []string{"red", "green"}

func readColor(d *Decoder, v *string) { StringEnum(d, v, leniencyColors) }

func readLeniency(d *Decoder, v *leniency) {
	v.Int, v.Color, v.Text, v.Numbers, v.Pair = 7, "green", "default", []int{9}, [2]int{8, 9}
	for o := d.Object(leniencyFields); o.Next(); {
		switch o.Name() {
		case "int":
			Int(d, &v.Int)
			Maximum(d, v.Int, 10)
		case "float":
			Float(d, &v.Float)
		case "bool":
			Bool(d, &v.Bool)
		case "time":
			Time(d, &v.Time)
		case "duration":
			Duration(d, &v.Duration)
		case "color":
			readColor(d, &v.Color)
		case "text":
			String(d, &v.Text)
		case "short":
			String(d, &v.Short)
			MinLength(d, v.Short, 1)
		case "needed":
			String(d, &v.Needed)
		case "number":
			Int(d, &v.Number)
		case "tags":
			Slice(d, &v.Tags, String)
			MaxItems(d, len(v.Tags), 3)
			UniqueItems(d, v.Tags)
		case "numbers":
			Slice(d, &v.Numbers, Int)
		case "colors":
			Slice(d, &v.Colors, readColor)
		case "lists":
			Slice(d, &v.Lists, func(d *Decoder, v *[]string) { Slice(d, v, String) })
		case "pair":
			v.Pair = [2]int{}
			Array(d, v.Pair[:], Int)
		case "inner":
			Ptr(d, &v.Inner, readLeniency)
		case "inners":
			Slice(d, &v.Inners, readLeniency)
		case "ptr":
			Ptr(d, &v.Ptr, Int)
		}
	}
}

func TestLenientValues(t *testing.T) {
	const needed = `"needed":"n","number":1`
	for _, c := range []struct {
		text   string
		change func(v *leniency) // of the value that is read without the text
		err    string
	}{
		{text: `"int":"5"`, change: func(v *leniency) { v.Int = 5 }},
		{text: `"int":5.0`, change: func(v *leniency) { v.Int = 5 }},
		{text: `"int":"5.0"`, change: func(v *leniency) { v.Int = 5 }},
		{text: `"int":"5.5"`, err: `int: must be an integer, got 5.5`},
		{text: `"int":"abc"`, err: `int: must be an integer, got a string "abc"`},
		{text: `"int":"11"`, err: `int: must be at most 10, got 11`},
		{text: `"int":" "`, err: `int: must be an integer, got a string " "`},
		{text: `"int":""`}, {text: `"float":""`}, {text: `"bool":""`}, {text: `"time":""`}, {text: `"duration":""`},
		{text: `"color":""`}, {text: `"ptr":""`}, {text: `"numbers":""`}, {text: `"colors":""`}, {text: `"int":null`}, {text: `"ptr":null`},
		{text: `"int" : "" , "float" : ""`}, {text: `"time":"","unknown":""`, err: "unknown: unknown argument"},
		{text: `"text":""`, change: func(v *leniency) { v.Text = "" }},
		{text: `"short":""`, err: "short: must have at least 1 character"},
		{text: `"pair":""`, err: "pair: must be an array"},
		{text: `"inner":""`, err: "inner: must be an object"},
		{text: `"pair":"[1,\"2\"]"`, change: func(v *leniency) { v.Pair = [2]int{1, 2} }},
		{text: `"tags":"prod"`, change: func(v *leniency) { v.Tags = []string{"prod"} }},
		{text: `"tags":""`, change: func(v *leniency) { v.Tags = []string{""} }},
		{text: `"tags":"[\"a\",\"b\"]"`, change: func(v *leniency) { v.Tags = []string{"a", "b"} }},
		{text: `"tags":"[1"`, change: func(v *leniency) { v.Tags = []string{"[1"} }},
		{text: `"tags":"[]"`, change: func(v *leniency) { v.Tags = []string{} }},
		{text: `"tags":"[\"a\",\"a\"]"`, err: "tags: "},
		{text: `"tags":5`, err: "tags: must be an array"},
		{text: `"numbers":"5"`, change: func(v *leniency) { v.Numbers = []int{5} }},
		{text: `"numbers":"abc"`, err: `numbers: must be an integer, got a string "abc"`},
		{text: `"numbers":["5",""]`, err: `numbers[1]: must be an integer, got a string ""`},
		{text: `"colors":"red"`, change: func(v *leniency) { v.Colors = []string{"red"} }},
		{text: `"colors":"rde"`, err: `colors: must be one of "red", "green", got "rde"; did you mean "red"?`},
		{text: `"colors":[""]`, err: `colors[0]: must be`},
		{text: `"lists":["a",["b"],"[\"c\"]"]`, change: func(v *leniency) { v.Lists = [][]string{{"a"}, {"b"}, {"c"}} }},
		{text: `"lists":"a"`, err: "lists: must be an array"},
		{text: `"inner":{"needed":"","number":"2","tags":"x","int":""}`, change: func(v *leniency) {
			v.Inner = &leniency{Int: 7, Color: "green", Text: "default", Numbers: []int{9}, Pair: [2]int{8, 9}, Number: 2, Tags: []string{"x"}}
		}},
		{text: `"inners":"[{\"needed\":\"\",\"number\":2,\"tags\":\"x\",\"float\":\"\"}]"`, change: func(v *leniency) {
			v.Inners = []leniency{{Int: 7, Color: "green", Text: "default", Numbers: []int{9}, Pair: [2]int{8, 9}, Number: 2, Tags: []string{"x"}}}
		}},
		{text: `"inner":{"needed":"","number":""}`, err: `inner.number: must be an integer, got a string ""`},
	} {
		var want, got leniency
		if err := decode(`{`+needed+`}`, Options{}, &want, readLeniency); err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(&want)
		}
		err := decode(`{`+c.text+`,`+needed+`}`, Options{Help: Leniency()}, &got, readLeniency)
		switch {
		case c.err != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: got %v, %+v, want %s", c.text, err, got, c.err)
			}
		case err != nil || !reflect.DeepEqual(got, want):
			t.Errorf("%s: got %+v, %v, want %+v", c.text, got, err, want)
		}
		got = leniency{}
		if err := decode(`{`+needed+`,`+c.text+`}`, Options{Help: Leniency()}, &got, readLeniency); (err == nil) != (c.err == "") || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s at the end: got %+v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{`{"needed":"","number":""}`, `{"number":1,"needed":null}`} {
		if err := decode(text, Options{Help: Leniency()}, new(leniency), readLeniency); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// Lenient mode reads the same value as strict mode from valid input.
func TestLenientAcceptsWhatIsValid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []string{`5`, `"5"`, `""`, `"red"`, `null`, `true`, `"true"`, `1.5`, `["a"]`, `[1]`, `["red","green"]`, `[["a"],[]]`, `[1,2]`,
		`"2024-02-29T12:00:00Z"`, `"1h"`, `"[1]"`, `"{}"`, `[]`, `{"needed":"","number":1,"tags":["","x"]}`, `[{"needed":"","number":1}]`, `5.0`}
	accepted := 0
	for range 20_000 {
		var b strings.Builder
		b.WriteString(`{"needed":"n","number":1`)
		for i := range r.IntN(3) + 1 {
			name := leniencyFields[(r.IntN(len(leniencyFields))+i)%len(leniencyFields)].Name
			fmt.Fprintf(&b, `,%q:%s`, name, values[r.IntN(len(values))])
		}
		b.WriteString("}")
		var strict, lenient leniency
		if decode(b.String(), Options{}, &strict, readLeniency) != nil {
			continue
		}
		accepted++
		if err := decode(b.String(), Options{Help: Leniency()}, &lenient, readLeniency); err != nil || !reflect.DeepEqual(strict, lenient) {
			t.Fatalf("%s: %v, %+v, strict %+v", &b, err, lenient, strict)
		}
	}
	if accepted < 1000 {
		t.Errorf("%d are valid", accepted)
	}
}

// A list of its own type wraps a string once, otherwise it would never end.
func TestLenientWrapsOnce(t *testing.T) {
	type tree []tree
	var read func(d *Decoder, v *tree)
	read = func(d *Decoder, v *tree) { Slice(d, v, read) }
	var v tree
	if err := decode(`"x"`, Options{Help: Leniency()}, &v, read); err == nil {
		t.Error(v)
	}
	if err := decode(`["[]"]`, Options{Help: Leniency()}, &v, read); err != nil || len(v) != 1 {
		t.Error(v, err)
	}
}
