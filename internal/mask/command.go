package mask

import (
	"bytes"
	"slices"
	"strings"
)

// Arguments returns the arguments of a program for display, and the arguments that it hides because
// they are likely credentials.
func Arguments(args []string) (shown, hidden []string) {
	var s set
	return s.arguments(nil, args), s.hidden
}

// Command is like [Arguments] for a program that others have configured. It also hides possible
// credentials: the value of a flag of one letter, unless the value looks like a path or a package,
// or the program is known and the flag has another meaning.
func Command(command string, args []string) (shown, hidden []string) {
	s := set{strict: true}
	shown = append(shown, s.text(command))
	return append(shown, s.arguments(launcherOf(command), args)...), s.hidden
}

func (s *set) arguments(l *launcher, args []string) []string {
	w := words{set: s, launcher: l}
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = w.next(arg)
	}
	return shown
}

// line masks a command line that is a single string.
func (s *set) line(text string) string {
	s.depth++
	defer func() { s.depth-- }()
	var b bytes.Buffer
	var w *words
	end := 0
	for m, ok := shellWord(text, 0); ok; m, ok = shellWord(text, m.end) {
		b.WriteString(text[end:m.start])
		word, quote := text[m.start:m.end], ""
		end = m.end
		after, last := strings.CutSuffix(word, ";")
		if last && after != "" {
			word, end = after, end-1
		}
		if c := word[0]; (c == '"' || c == '\'') && strings.IndexByte(word[1:], c) == len(word)-2 {
			word, quote = word[1:len(word)-1], word[:1]
		}
		switch {
		case quote == "" && strings.Trim(word, ";&|") == "": // another command follows
			w = nil
			b.WriteString(word)
		case w == nil && !strings.HasPrefix(word, "-"):
			w = &words{set: s, launcher: launcherOf(word)}
			b.WriteString(quote + s.text(word) + quote)
		default:
			if w == nil {
				w = &words{set: s}
			}
			b.WriteString(quote + w.next(word) + quote)
		}
		if last {
			w = nil
		}
	}
	return b.String() + text[end:]
}

// listed hides the values of flags in a JSON list.
func (s *set) listed(text string) string {
	return rewrite(text, quotedFlag, func(text string, m match) string {
		flag, _, _ := strings.Cut(text[m.start+1:m.end], `"`)
		if flag = strings.TrimLeft(flag, "-"); !secretName(flag) && (!s.strict || len(flag) > 1) {
			return text[m.start:m.end]
		}
		return s.match(text, m)
	})
}

// words processes the arguments of one program in order.
type words struct {
	set      *set
	launcher *launcher // nil after the name of the program that it starts
	flag     string    // the previous argument, if it waits for its value
	known    bool      // the flag belongs to the launcher
	secret   bool      // the next argument is a credential
}

func (w *words) next(arg string) string {
	flag, known, secret := w.flag, w.known, w.secret
	w.flag, w.known, w.secret = "", false, false
	isFlag := strings.HasPrefix(arg, "-") && len(arg) > 1 && (arg[1] < '0' || arg[1] > '9')
	single := isFlag && arg[1] != '-'
	secret = secret || flag != "" && secretName(flag)
	short := w.set.strict && len(flag) == 1 && !known
	switch {
	case flag == "" && !secret:
	case arg == "=" || arg == ":", secret && isScheme(arg): // --auth Bearer VALUE
		w.flag, w.known, w.secret = flag, known, secret
		return arg
	case single && len(arg) > 2 && (secret || short && !isWord(arg[1:])): // a credential may begin with a dash
		return w.set.hide(arg)
	case !isFlag:
		if l := w.launcher; known && l != nil && strings.Contains(l.final, flag[len(flag)-1:]) {
			w.launcher = nil
		}
		return w.value(flag, arg, secret, short)
	}
	if isFlag {
		return w.flagged(arg, single)
	}
	return w.operand(arg)
}

// value handles an argument after a flag.
func (w *words) value(flag, arg string, secret, short bool) string {
	if name, ok := strings.CutSuffix(arg, ":"); ok && isHeader(flag) && nameOnly(name) {
		w.secret = true // Authorization: VALUE as two arguments
		return arg
	}
	if secret {
		return w.set.hide(arg)
	}
	return w.set.value(flag, arg, short)
}

// flagged handles an argument that begins with a dash.
func (w *words) flagged(arg string, single bool) string {
	name, value, given := strings.Cut(arg, "=")
	flag := strings.TrimLeft(name, "-")
	if single && len(arg) > 2 {
		letter, rest := arg[1:2], arg[2:]
		switch {
		case letter == "H" && strings.Contains(rest, ":"), letter == "u" && strings.Contains(rest, ":"),
			letter == "e" && given && rest[0] >= 'A' && rest[0] <= 'Z': // without a space
			return "-" + letter + w.set.value(letter, rest, false)
		case w.set.strict && !given && (w.attached(letter) || !isWord(arg[1:]) && !w.knows(letter)):
			colon := ""
			if strings.HasPrefix(rest, ":") {
				colon, rest = ":", rest[1:]
			}
			return "-" + letter + colon + w.set.hide(rest)
		}
	}
	known := w.flagOfLauncher(flag, single, given)
	switch {
	case !given:
		w.flag, w.known = flag, known
		if known && !w.launcher.takes(flag, single) {
			w.flag = ""
		}
		return w.set.text(arg)
	case value == "":
		w.flag, w.known = flag, known
		return arg
	}
	return name + "=" + w.set.value(flag, value, w.set.strict && len(flag) == 1 && !known)
}

// flagOfLauncher reports whether a flag belongs to the launcher. After any other flag, the end of
// the launcher's flags is unknown.
func (w *words) flagOfLauncher(flag string, single, given bool) bool {
	if w.launcher == nil {
		return false
	}
	if w.launcher.has(flag, single) {
		return true
	}
	if !given {
		w.launcher = nil
	}
	return false
}

func (w *words) knows(letter string) bool { return w.launcher != nil && w.launcher.has(letter, true) }

func (w *words) attached(letter string) bool {
	return w.launcher != nil && strings.Contains(w.launcher.attached, letter)
}

// operand handles an argument that is neither a flag nor a flag's value.
func (w *words) operand(arg string) string {
	if w.launcher != nil {
		if !w.launcher.skips(arg) {
			w.launcher = launcherOf(arg)
		}
		return w.set.text(arg)
	}
	name := strings.TrimRight(arg, ":=")
	assigns := name != arg
	if windows, ok := strings.CutPrefix(name, "/"); ok && w.set.strict { // /password VALUE
		name = windows
	}
	if secretName(name) && nameOnly(name) && (assigns || w.set.strict && !isFile(name)) {
		w.secret = true
	}
	if windows, ok := strings.CutPrefix(arg, "/"); ok && w.set.strict && len(windows) > 2 && windows[1] == ':' { // /p:VALUE
		return arg[:3] + w.set.hide(windows[2:])
	}
	return w.set.text(arg)
}

// nameOnly reports whether a text consists of characters of names of variables and fields.
func nameOnly(text string) bool {
	return strings.Trim(strings.ToUpper(text), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

// isScheme reports whether a text is the scheme of an Authorization field.
func isScheme(text string) bool {
	return slices.Contains([]string{"bearer", "basic", "digest", "dpop", "negotiate", "token", "apikey"}, strings.ToLower(text))
}

func isHeader(flag string) bool { return flag == "H" || flag == "header" || flag == "headers" }

// value masks the value of a flag.
func (s *set) value(flag, value string, short bool) string {
	switch flag {
	case "H", "header", "headers":
		if i := strings.IndexAny(value, ":="); i >= 0 {
			space := len(value[i+1:]) - len(strings.TrimLeft(value[i+1:], " "))
			return value[:i+1+space] + s.hide(value[i+1+space:])
		}
		return s.hide(value)
	case "e", "env":
		if name, secret, given := strings.Cut(value, "="); given {
			return name + "=" + s.hide(secret)
		}
		return s.text(value)
	case "u", "user":
		if name, secret, given := strings.Cut(value, ":"); given && !strings.HasPrefix(secret, "//") {
			return name + ":" + s.hide(secret)
		}
		return s.text(value)
	}
	if secretName(flag) {
		return s.hide(value)
	}
	if !short || IsReference(value) || isPath(value) || isFile(value) || isScoped(value) || strings.Contains(value, "://") {
		return s.text(value)
	}
	if name, secret, given := strings.Cut(value, "="); given && isWord(name) {
		return name + "=" + s.hide(secret)
	}
	return s.hide(value)
}
