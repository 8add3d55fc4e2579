package pattern

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestAgainstRegexp compares the table with package regexp, on random expressions and texts.
func TestAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	atoms := []string{`[^\s\S]`, "", "a", "b", "1", "ü", "-", ".", `\s`, `\S`, `\w`, `\W`, `\d`, `\D`, `[a-c]`, `[^a]`, `[\s1]`, `[^\S-]`, "[aA]", "[Üü]", "[kK]", `\p{Lu}`, `[^\p{L}\d]`, `\b`, `\B`, "^", "$", `\.`, "\U0001F600"}
	var expr func(depth int) string
	expr = func(depth int) string {
		switch n := r.IntN(8); {
		case depth == 0 || n < 3:
			return atoms[r.IntN(len(atoms))]
		case n < 5:
			return expr(depth-1) + expr(depth-1)
		case n == 5:
			return "(?:" + expr(depth-1) + "|" + expr(depth-1) + ")"
		default:
			return "(" + expr(depth-1) + ")" + []string{"*", "+", "?", "{2}", "{1,3}", "{0,2}?", "*?"}[r.IntN(7)]
		}
	}
	letters := []rune("aAbBkK1üÜ-. \n\r\t\v_\u2028\u00a0\ufeffZ\U0001F600c")
	yes, no := 0, 0
	for range 8_000 {
		e := expr(4)
		m, err := Compile(e)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		re := regexp.MustCompile(Translate(e))
		for range 8 {
			text := make([]rune, r.IntN(9))
			for i := range text {
				text[i] = letters[r.IntN(len(letters))]
			}
			s := string(text)
			got := m.Match(s)
			if got != re.MatchString(s) {
				t.Fatalf("%s on %q: %v", e, s, got)
			}
			if got {
				yes++
			} else {
				no++
			}
		}
	}
	if yes < 4_000 || no < 4_000 {
		t.Errorf("%d matches, %d texts without", yes, no)
	}
}

// largeExpressions returns expressions that exceed one limit each.
func largeExpressions() map[string]string {
	var letters, bits strings.Builder
	for r := 'α'; r < 'α'+40; r++ {
		letters.WriteRune(r)
	}
	for bit := range 12 {
		bits.WriteString("[")
		for i := range maxStates + 1 {
			if i&(1<<bit) != 0 {
				bits.WriteRune(rune(0x4E00 + i))
			}
		}
		bits.WriteString("]")
	}
	return map[string]string{
		"instructions": strings.Repeat(`(?:a?){1000}`, 10),
		"states":       `^a{1000}a{1000}a{1000}a{1000}a{100}$`,
		"cells":        "^" + letters.String() + "(?:x{1000}x{1000}x{1000}x{300})$",
		"sets":         "^" + strings.Repeat(`\p{L}`, 3500) + "$",
		"classes":      "^" + bits.String() + "$",
	}
}

func TestInvalid(t *testing.T) {
	for _, e := range []string{`(`, `a{2,1}`, `[b-a]`, `\`, `*`} {
		if m, err := Compile(e); err == nil || m != nil {
			t.Errorf("%s: %v, %v", e, m, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	for _, small := range []string{
		``, `^.{1,1000}$`, `^[a-z]{1,500}-[a-z]{1,500}$`, `[a-z]{3,300}x`, `^[^\s@]+@[^\s@]+\.[^\s@]+$`, `^(\p{L}|\d){1,100}$`, `^\S{1,64}(\s\S{1,64}){0,9}$`,
		`^https?://[^\s/$.?#].[^\s]*$`, `^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`, `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`,
		`^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$`, `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`,
		`^\p{L}{1000}\p{L}{1000}\p{L}{1000}\p{L}{500}$`, // equal sets of characters count once
		`^[a\-]{1000}[a\-]{1000}[a\-]{500}-$`,           // only \b tells words apart
	} {
		if _, err := Compile(small); err != nil {
			t.Errorf("%s: %v", small, err)
		}
	}
	for name, large := range largeExpressions() {
		if _, err := Compile(large); err != errTooLarge {
			t.Errorf("many %s: %v", name, err)
		}
	}
	for _, large := range []string{`a.{20}b`, `(a|b)*a(a|b){15}c`, `x.{14}y`, `\p{L}{1000}\p{N}{999}\p{L}.{19}z`} {
		if _, err := Compile(large); err != errTooLarge {
			t.Errorf("%s: %v", large, err)
		}
	}
}

// backtracking are expressions for which backtracking matchers read a text repeatedly.
var backtracking = []string{`^(a+)+$`, `(a|a)*b`, `a{0,100}a{0,100}b`, `(.*)(.*)(.*)x$`}

// TestLongText matches a megabyte of text without a match against each of them: a backtracking
// matcher would not finish.
func TestLongText(t *testing.T) {
	long := strings.Repeat("a", 1<<20) + "!"
	for _, e := range backtracking {
		m, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		if m.Match(long) {
			t.Errorf("%s matches", e)
		}
	}
}
