package wire

import "testing"

// TestWithin reads values within limits, at them and beyond them, and values of other types: in one
// step and in several, with the same values and the same problems.
func TestWithin(t *testing.T) {
	type ints = func(*Decoder, *int)
	type texts = func(*Decoder, *string)
	numbers := map[string][2]ints{
		"IntFrom": {
			func(d *Decoder, v *int) { IntFrom(d, v, 2) },
			func(d *Decoder, v *int) { Int(d, v); Minimum(d, *v, 2) },
		},
		"IntWithin": {
			func(d *Decoder, v *int) { IntWithin(d, v, 2, 4) },
			func(d *Decoder, v *int) { Int(d, v); Minimum(d, *v, 2); Maximum(d, *v, 4) },
		},
	}
	strings := map[string][2]texts{
		"StringFrom": {
			func(d *Decoder, v *string) { StringFrom(d, v, 2) },
			func(d *Decoder, v *string) { String(d, v); MinLength(d, *v, 2) },
		},
		"StringTo": {
			func(d *Decoder, v *string) { StringTo(d, v, 4) },
			func(d *Decoder, v *string) { String(d, v); MaxLength(d, *v, 4) },
		},
		"StringWithin": {
			func(d *Decoder, v *string) { StringWithin(d, v, 2, 4) },
			func(d *Decoder, v *string) { String(d, v); MinLength(d, *v, 2); MaxLength(d, *v, 4) },
		},
	}
	refused := map[string]bool{}
	values := []string{
		`1`, `2`, `3`, `4`, `5`, `-1`, `1.0`, `2.5`, `1e2`, `99999999999999999999`, `"3"`, `"1"`, `null`, `true`, `[]`, `{}`, ``, `x`,
		`""`, `"é"`, `"éé"`, `"abc"`, `"éééé"`, `"abcde"`, `"ééééé"`, `"a`,
	}
	for _, text := range values {
		for _, options := range []Options{{}, {Help: Leniency()}} {
			for name, f := range numbers {
				refused[name] = sameReads(t, name, text, options, f) || refused[name]
			}
			for name, f := range strings {
				refused[name] = sameReads(t, name, text, options, f) || refused[name]
			}
		}
	}
	if len(refused) != 5 {
		t.Errorf("tested %v", refused)
	}
	for name, ok := range refused {
		if !ok {
			t.Errorf("%s refused no value", name)
		}
	}
}

// sameReads compares what two functions read, and reports whether they refused it.
func sameReads[T comparable](t *testing.T, name, text string, options Options, read [2]func(*Decoder, *T)) bool {
	t.Helper()
	var values [2]T
	var problems [2]string
	for i, f := range read {
		d := NewDecoder([]byte(text), options)
		f(d, &values[i])
		if err := d.Finish(); err != nil {
			problems[i] = err.Error()
		}
	}
	if values[0] != values[1] || problems[0] != problems[1] {
		t.Errorf("%s of %s in %+v: got %v, %s; want %v, %s", name, text, options, values[0], problems[0], values[1], problems[1])
	}
	return problems[0] != ""
}
