package keyword

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// formatSeeds are texts in every format, and some texts that are nearly valid.
var formatSeeds = []string{
	"", "2024-02-29", "1900-02-28", "0000-12-31", "2024-02-29T12:30:00Z", "2024-02-29T23:59:59.999999999+23:59", "9999-12-31T00:00:00.1-00:00",
	"12:30:00Z", "00:00:00.5-07:00", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
	"ada@example.com", "ada.lovelace+x@sub.example.com", `"ada l"@example.com`, "ada@[127.0.0.1]", "ada@[IPv6:::1]", "a@b", "ada@localhost", "Ada <ada@example.com>",
	strings.Repeat("a", 64) + "@example.com", "a@" + strings.Repeat("b", 63) + ".com", "ada@example.com.", "ada@münchen.de", "adä@example.com",
	"https://example.com/a?b=c#d", "urn:isbn:1", "mailto:ada@example.com", "http://[::1]:80/", "http://[x:y]/", "http://1:2:3/", "file:///etc", "x:", "//example.com",
	"127.0.0.1", "255.255.255.255", "::1", "2001:db8::1", "fe80::1%eth0", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8",
	"www.example.com", "www.example.com.", "a-b.c", "1", strings.Repeat("a", 63) + ".com", strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 126) + "a.", "münchen.de", "xn--mnchen-3ya.de",
}

// formatTexts calls a function with each seed, and with each text that differs from a seed in one
// place.
func formatTexts(do func(string)) {
	const letters = "0139aAzZ.:-+ TtZz,@[]<>\"\\/%_#?é\n\x00"
	for _, seed := range formatSeeds {
		do(seed)
		for i := range len(seed) + 1 {
			for _, c := range letters {
				do(seed[:i] + string(c) + seed[i:])
				if i < len(seed) {
					do(seed[:i] + string(c) + seed[i+1:])
				}
			}
			if i < len(seed) {
				do(seed[:i] + seed[i+1:])
			}
		}
	}
}

// TestFormatsOfTheRuntime checks that the generator accepts a default or example in a format if and
// only if the decoder accepts it as an argument.
func TestFormatsOfTheRuntime(t *testing.T) {
	if len(formats) != len(wire.Formats) {
		t.Errorf("the generator has %d formats, and the runtime %d", len(formats), len(wire.Formats))
	}
	formatTexts(func(text string) {
		for _, f := range formats {
			check := wire.Formats[f.name]
			if check == nil {
				t.Fatalf("the runtime has no format %s", f.name)
			}
			_, ok := check(text)
			if got := IsFormat(f.name, text); got != ok {
				t.Errorf("%s %q: %v for the generator, %v for the runtime", f.name, text, got, ok)
			}
		}
	})
	// Texts about which the generator once disagreed with the runtime.
	for format, texts := range map[string]map[string]bool{
		"date-time": {"2024-02-29T2:30:00Z": false, "2024-02-29T12:30:00,5Z": false},
		"time":      {"2:30:00Z": false, "12:30:00,5Z": false},
		"uri":       {"http://1:2:3/": false, "http://[x:y]/": false},
		"email": {
			"ada@-example.com": false, "ad\u00e4@example.com": false, "ada@m\u00fcnchen.de": false, strings.Repeat("a", 65) + "@example.com": false,
			"\"ada l\"@example.com": true, "ada@example.com.": true, "ada@[IPv6:::1]": true,
		},
	} {
		for text, want := range texts {
			if IsFormat(format, text) != want {
				t.Errorf("%s %q: %v", format, text, !want)
			}
		}
	}
}
