package wire

import "testing"

// One unknown and one missing member of an object are reported together.
func TestPairedNames(t *testing.T) {
	fields := Fields{{Must: "channel"}, {Must: "text"}, {Name: "thread"}, {Name: "inner"}}
	inner := Fields{{Must: "id"}, {Name: "note"}}
	read := func(d *Decoder, _ *struct{}) {
		for o := d.Object(fields); o.Next(); {
			if o.Name() == "inner" {
				for o := d.Object(inner); o.Next(); {
					d.Skip()
				}
			}
		}
	}
	const known = " Known: channel, text, thread, inner"
	for text, want := range map[string]string{
		`{"channel":1,"message":2}`:                `message: unknown argument; did you mean "text", which is missing?` + known + `; text: required, but missing`,
		`{"message":2,"channel":1}`:                `message: unknown argument; did you mean "text", which is missing?` + known + `; text: required, but missing`,
		`{"channel":1,"txt":2}`:                    `txt: unknown argument; did you mean "text"?` + known + `; text: required, but missing`,
		`{"channel":1,"threads":2}`:                `threads: unknown argument; did you mean "thread"?` + known + `; text: required, but missing`,
		`{"channel":1,"thread":1,"threads":2}`:     `threads: unknown argument; did you mean "text", which is missing?` + known + `; text: required, but missing`,
		`{"channel":1,"channels":2}`:               `channels: unknown argument; did you mean "text", which is missing?` + known + `; text: required, but missing`,
		`{"channel":1,"text":1,"message":2}`:       `message: unknown argument.` + known,
		`{"message":2}`:                            `message: unknown argument.` + known + `; channel: required, but missing; text: required, but missing`,
		`{"channel":1,"message":2,"body":3}`:       `message: unknown argument.` + known + `; body: unknown argument.` + known + `; text: required, but missing`,
		`{"channel":1}`:                            `text: required, but missing`,
		`{"channel":1,"text":1,"inner":{"key":1}}`: `inner.key: unknown field; did you mean "id", which is missing? Known: id, note; inner.id: required, but missing`,
		// Each object reports its own pair.
		`{"channel":1,"message":2,"inner":{"id":1,"key":1}}`: `message: unknown argument; did you mean "text", which is missing?` + known +
			`; inner.key: unknown field. Known: id, note; text: required, but missing`,
	} {
		if got := errorText(decode(text, Options{Help: Advice()}, new(struct{}), read)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	// A violation beyond the limit was not recorded, so it cannot change.
	if got, want := errorText(decode(`{"a":1,"channel":1}`, Options{Help: Advice(), MaxProblems: 1}, new(struct{}), read)), `a: unknown argument; did you mean "text", which is missing?`+known+"; and more"; got != `a: unknown argument.`+known+"; and more" && got != want {
		t.Errorf("got %s", got)
	}
}
