package wire

import "testing"

// A decoder without help names what is wrong, and neither converts nor gives advice.
func TestWithoutHelp(t *testing.T) {
	read := func(d *Decoder, v *[]string) {
		for o := d.Object(Fields{{Name: "tags"}, {Name: "order"}, {Name: "kind"}}); o.Next(); {
			switch o.Name() {
			case "tags":
				Slice(d, v, String)
			case "order":
				StringEnum(d, new(string), []string{"first", "last"})
			case "kind":
				d.Variant("is", []string{"small", "large"})
			}
		}
	}
	for text, want := range map[string]string{
		`{"tags":["a"]}`:            "",
		`{"tags":"a,b"}`:            `tags: must be an array, got a string "a,b"`,
		`{"tags":["a",1]}`:          `tags[1]: must be a string, got a number 1`,
		`{"order":"frist"}`:         `order: must be one of "first", "last", got "frist"`,
		`{"kind":{"is":"smal"}}`:    `kind.is: must be one of "small", "large", got "smal"`,
		`{"kind":"{\"is\":\"x\"}"}`: `kind: must be an object, got a string "{\"is\":\"x\"}"`,
		`{"tag":[]}`:                `tag: unknown argument`,
	} {
		if got := errorText(decode(text, Options{}, new([]string), read)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
