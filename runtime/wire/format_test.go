package wire

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formatCases contains strings of every format; each is checked against each format.
var formatCases = []string{
	"", " ", "a", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "2024-13-01", "2024-00-10", "2024-1-01", "2024-04-31", "2024-01-01 ",
	"12:30:00Z", "23:59:59.5+23:59", "24:00:00Z", "12:60:00Z", "12:30:00", "12:30:00.Z", "12:30Z", "12:30:00+24:00", "12:30:00+01:60", "12:30:00+0100", "12:30:00Zx", "12:30:00.123",
	"2024-02-29T12:30:00Z", "2024-02-29 12:30:00Z", "2024-02-29T12:30:00", "2024-02-29T12:30:00.1-07:00", "2023-02-29T12:30:00Z", "2024-02-29T", "2024-02-29T12:30:00+24:00",
	"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae-7dec-11d0-a76500a0c91e6bf-6",
	"ada@example.com", "ada.lovelace+x@sub.example.com", "ada@", "a@b@c", `"a b"@example.com`, `"a"b"@example.com`, "a..b@example.com", ".a@example.com", "a.@example.com",
	"ada@[127.0.0.1]", "ada@[IPv6:::1]", "ada@[::1]", "ada@[x]", "ada@-x.com", "é@example.com", "a b@example.com", strings.Repeat("a", 64) + "@x.com", strings.Repeat("a", 65) + "@x.com", "a@" + strings.Repeat("x.", 130) + "com",
	"http://example.com/path?q=1#f", "urn:isbn:1", "mailto:a@b", "//example.com", "/path", "example.com", "http://[::1]:80/", "http://[::1", "http://[x:y]/", "http://a b/", "http://a/%zz", ":", "1http://x", "http://1:2:3/", "file:///etc", "x:",
	"127.0.0.1", "255.255.255.255", "256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.x", "1..2.3", "::1", "::", "1::2::3", "2001:db8::1", "fe80::1%eth0", "::ffff:1.2.3.4", "12345::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7",
	"www.example.com", "www.example.com.", "-a.com", "a-.com", "a_b.com", "a..b", ".", strings.Repeat("a", 63) + ".com", strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 127) + "a", "münchen.de", "1", "a.b.c",
}

// TestFormats compares the formats with another implementation.
func TestFormats(t *testing.T) {
	// Here the two differ on purpose: Go has neither leap seconds nor lower case, and the other
	// implementation accepts signs in numbers and an empty name before the @.
	for _, s := range []string{"12:30:00z", "23:59:60Z", "+1:30:00Z"} {
		if _, ok := FormatTime(s); ok {
			t.Errorf("time %s is accepted", s)
		}
		if _, ok := FormatDateTime("2024-01-01T" + s); ok {
			t.Errorf("date and time %s is accepted", s)
		}
	}
	if _, ok := FormatDateTime("2024-01-01t12:30:00Z"); ok {
		t.Error("a lower-case t is accepted")
	}
	if _, ok := FormatEmail("@example.com"); ok {
		t.Error("an address without a name is accepted")
	}
	if _, ok := FormatIPv4("+1.2.3.4"); ok {
		t.Error("an address with a sign is accepted")
	}
	for name, check := range map[string]FormatChecker{
		"date-time": FormatDateTime, "date": FormatDate, "time": FormatTime, "uuid": FormatUUID, "email": FormatEmail,
		"uri": FormatURI, "ipv4": FormatIPv4, "ipv6": FormatIPv6, "hostname": FormatHostname,
	} {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("s.json", map[string]any{"type": "string", "format": name}); err != nil {
			t.Fatal(err)
		}
		schema := c.MustCompile("s.json")
		accepted := 0
		for _, s := range formatCases {
			want, ok := check(s)
			if valid := schema.Validate(s) == nil; ok != valid {
				t.Errorf("%s %q: accepted %v, valid %v", name, s, ok, valid)
			}
			if ok {
				accepted++
			} else if want == "" {
				t.Errorf("%s does not say what it wants", name)
			}
		}
		if accepted == 0 {
			t.Errorf("%s accepts nothing", name)
		}
	}
}
