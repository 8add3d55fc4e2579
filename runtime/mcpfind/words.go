package mcpfind

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestWord limits the significant bytes of a word; longer words are mostly data.
const longestWord = 32

// eachWord calls f with each word of a text, in lower case, until f returns false. Words end where
// letters do, at a change from small to capital letters, and between letters and digits:
// parseHTTPHeader2 is parse, http, header and 2. f must copy a word to retain it.
func eachWord(text string, f func(word []byte) bool) {
	var word [longestWord]byte
	n := 0
	last := other
	end := func() bool {
		if n == 0 {
			return true
		}
		full := word[:n]
		n = 0
		return f(full)
	}
	for i, r := range text {
		class := classOf(r)
		switch {
		case class == other:
			if !end() {
				return
			}
			last = other
			continue
		case last == other, class == last:
			// The last capital letter before a small one begins a word.
			if class == capital && last == capital && n > 0 && nextIsSmall(text[i+utf8.RuneLen(r):]) && !end() {
				return
			}
		case last == capital && class == small:
		default:
			if !end() {
				return
			}
		}
		last = class
		if low := unicode.ToLower(r); n+utf8.RuneLen(low) <= longestWord {
			n += utf8.EncodeRune(word[n:], low)
		}
	}
	end()
}

// letterClass is a kind of character.
type letterClass byte

const (
	other letterClass = iota
	small             // and letters without case
	capital
	digit
)

func classOf(r rune) letterClass {
	switch {
	case 'a' <= r && r <= 'z':
		return small
	case 'A' <= r && r <= 'Z':
		return capital
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return other
	case unicode.IsUpper(r):
		return capital
	case unicode.IsLetter(r), unicode.IsMark(r):
		return small
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

func nextIsSmall(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return classOf(r) == small
}

// stem returns the common part of the forms of an English word: it removes plurals, -ing, -ed, -er
// and -ly. It modifies the word itself. Queries and tools are stemmed in the same way, so the
// result need not be an English word.
func stem(w []byte) []byte {
	if len(w) < 4 || w[0] < 'a' {
		return w
	}
	w = singular(w)
	switch {
	case cutEnd(&w, "ing", 3), cutEnd(&w, "edly", 3), cutEnd(&w, "ed", 3):
		w = afterVerb(w)
	case cutEnd(&w, "ly", 4), cutEnd(&w, "er", 4), cutEnd(&w, "or", 4), cutEnd(&w, "ation", 4), cutEnd(&w, "ion", 4), cutEnd(&w, "ment", 4):
	}
	if n := len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	} else if n > 3 && w[n-1] == 'y' {
		w[n-1] = 'i'
	}
	return w
}

// singular removes the ending of a plural, or of the third person.
func singular(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's', w[n-2] == 's', w[n-2] == 'u', w[n-2] == 'i':
		return w
	case n > 4 && string(w[n-3:]) == "ies":
		w[n-3] = 'y'
		return w[:n-2]
	case n > 4 && (string(w[n-4:]) == "sses" || string(w[n-4:]) == "ches" || string(w[n-4:]) == "shes" || string(w[n-3:]) == "xes"):
		return w[:n-2]
	}
	return w[:n-1]
}

// cutEnd removes an ending if at least so many letters, one of them a vowel, remain.
func cutEnd(w *[]byte, end string, least int) bool {
	n := len(*w) - len(end)
	if n < least || string((*w)[n:]) != end || !strings.ContainsAny(string((*w)[:n]), "aeiouy") {
		return false
	}
	*w = (*w)[:n]
	return true
}

// afterVerb reduces a double letter at the end to one, as in stopping.
func afterVerb(w []byte) []byte {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// frequent are words that are common in descriptions and do not distinguish tools.
var frequent = setOf(`a about again also although am an and any are as at be been being but by can could did do does
	doing each either for from had has have having he her here him his how i if in into is it its itself just let like
	many may me might more most much must my no nor not of off on one only or other our out over own per please same
	shall she should so some such than that the their them then there these they this those through to too under until
	up us very want was we were what when where which while who whom whose why will with within without would you your`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// alike are groups of everyday words with the same meaning: mostly verbs, and nouns of nearly every
// server.
var alike = groupsOf(
	"find search lookup look seek locate query discover",
	"get fetch read retrieve return show view display give tell see load",
	"list enumerate show every all",
	"create add new make insert write open register",
	"remove delete drop erase destroy clear del unset discard purge",
	"update edit change modify set replace overwrite alter patch exchange",
	"send post submit publish transmit",
	"start begin run launch execute activate trigger enable",
	"stop end halt cancel abort terminate disable",
	"check test verify validate whether",
	"join concatenate merge combine append attach",
	"split divide separate cut break",
	"trim strip",
	"copy duplicate clone",
	"count number amount total",
	"compare differ",
	"convert turn transform translate format",
	"parse decode interpret read",
	"sort order rank",
	"wait sleep pause",
	"upload put store save write",
	"download get fetch",
	"move rename",
	"buy order purchase",
	"url link address",
	"folder directory",
	"user person people member account",
	"customer client",
	"ticket issue bug",
	"project repository repo",
	"identifier id",
	"date time moment",
	"picture image photo",
	"error failure problem",
	"file document",
)

// groupsOf maps the stem of each word to the stems of similar words.
func groupsOf(groups ...string) map[string][]string {
	all := map[string][]string{}
	for _, group := range groups {
		var stems []string
		for _, w := range strings.Fields(group) {
			stems = append(stems, string(stem([]byte(w))))
		}
		for _, w := range stems {
			for _, like := range stems {
				if like != w {
					all[w] = append(all[w], like)
				}
			}
		}
	}
	return all
}
