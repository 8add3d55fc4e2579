package valid

import (
	"fmt"
	"strings"
)

// Icon is a picture for user interfaces.
type Icon struct {
	Source   string
	MIMEType string // "" = the type of the source
	Sizes    []string
	Theme    string
}

// Fault returns the fault of an icon, or nil. Clients load icons from the web, or from the URI
// itself.
func (i *Icon) Fault() *Fault {
	if fault := URI("an icon", i.Source); fault != nil {
		return fault
	}
	scheme, rest, _ := strings.Cut(i.Source, ":")
	if data := strings.EqualFold(scheme, "data") && strings.Contains(rest, ","); !data && !isWeb(i.Source) {
		return &Fault{
			fmt.Sprintf("an icon has the source %q", i.Source),
			"it must be an https: or data: URI, such as https://example.com/icon.png or data:image/png;base64,aGk=",
		}
	}
	if fault := MediaType("an icon", i.MIMEType); fault != nil {
		return fault
	}
	for _, size := range i.Sizes {
		if !isIconSize(size) {
			return &Fault{fmt.Sprintf("an icon has the size %q", size), `it must be width and height in pixels, such as "48x48", or "any"`}
		}
	}
	switch i.Theme {
	case "", "light", "dark":
		return nil
	}
	return &Fault{fmt.Sprintf("an icon has the theme %q", i.Theme), "it must be light or dark"}
}

func isIconSize(s string) bool {
	width, height, ok := strings.Cut(s, "x")
	return s == "any" || ok && areDigits(width) && areDigits(height)
}

func areDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
