package cli

import "regexp"

// optionNames are fields and options of package mcpclient in its errors, with replacements for a
// shell, which cannot set them.
var optionNames = []struct {
	name *regexp.Regexp
	with string
}{
	{regexp.MustCompile(` \(Limits\.\w+\)|; Limits\.\w+ and With\w+ set that time`), ""},
	{regexp.MustCompile(`within (?:the time of )?Limits\.\w+(?: or With\w+)?`), "in time"},
	{regexp.MustCompile(`more than Limits\.\w+ \((\d+)\) allows`), "more than mcpgen's limit of $1"},
}

// shellError is like another error, without names of options.
type shellError struct{ error }

func (e *shellError) Error() string {
	text := e.error.Error()
	for _, o := range optionNames {
		text = o.name.ReplaceAllString(text, o.with)
	}
	return text
}

func (e *shellError) Unwrap() error { return e.error }

func withoutOptions(err error) error { return &shellError{err} }
