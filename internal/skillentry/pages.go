package skillentry

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// Bounds of a listing, on all pages.
const (
	maxSkills    = 10_000
	maxPages     = 1000
	maxListBytes = 64 << 20
)

// Listing reads the pages of skills/list. It serves one goroutine.
//
//	for l := new(skillentry.Listing); l.More(); {
//		... request the page with l.Params()
//		err := l.Add(result)
//	}
type Listing struct {
	Skills []*Entry
	// Refused are the entries that are not valid, and repeated ones. The first entry of a URI
	// stays.
	Refused []*Error

	pages, items, bytes int
	done                bool
	cursor              string
	cursors             map[string]bool
	uris                map[string]bool
}

// More reports whether there is another page.
func (l *Listing) More() bool { return !l.done }

// Params returns the params of the request for the next page.
func (l *Listing) Params() json.RawMessage {
	if l.pages == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(`{"cursor":` + jsontree.Quote(l.cursor) + `}`)
}

// Add reads the result of a request. After an error the listing has ended.
func (l *Listing) Add(result json.RawMessage) error {
	l.done = true
	l.pages++
	if l.bytes += len(result); l.bytes > maxListBytes {
		return l.beyond(fmt.Sprintf("%d bytes", maxListBytes))
	}
	page, err := one(result)
	if err != nil {
		return fmt.Errorf("result of %s: %w", MethodList, err)
	}
	skills := page.Get("skills")
	if !skills.Is(jsontree.Array) {
		return fmt.Errorf("result of %s: skills is missing, or not a list", MethodList)
	}
	if l.items += len(skills.Items); l.items > maxSkills {
		return l.beyond(fmt.Sprintf("%d skills", maxSkills))
	}
	if l.uris == nil {
		l.uris, l.cursors = map[string]bool{}, map[string]bool{}
	}
	for _, item := range skills.Items {
		e, err := read(item)
		if err != nil {
			l.Refused = append(l.Refused, err.(*Error))
			continue
		}
		if l.uris[e.URI] {
			l.Refused = append(l.Refused, &Error{e.URI, errors.New("it is listed twice, and the first entry counts")})
			continue
		}
		l.uris[e.URI] = true
		l.Skills = append(l.Skills, e)
	}
	return l.next(page.Get("nextCursor"))
}

func (l *Listing) next(cursor *jsontree.Value) error {
	switch {
	case cursor == nil || cursor.Is(jsontree.Null):
		return nil
	case !cursor.Is(jsontree.Text):
		return fmt.Errorf("result of %s: nextCursor is no text", MethodList)
	case l.cursors[cursor.Text]:
		return fmt.Errorf("result of %s: the cursor %q has come twice", MethodList, clip(cursor.Text))
	case l.pages >= maxPages:
		return l.beyond(fmt.Sprintf("%d pages", maxPages))
	}
	l.cursor, l.done = cursor.Text, false
	l.cursors[l.cursor] = true
	return nil
}

// ErrTooLong is the cause of an error about a listing that exceeds a bound.
var ErrTooLong = errors.New("the server lists too many skills")

func (l *Listing) beyond(what string) error {
	return fmt.Errorf("result of %s: %w: more than %s; get a skill by its URI", MethodList, ErrTooLong, what)
}

// GetParams returns the params of skills/get, or an error if the URI cannot be a skill's.
func GetParams(uri string) (json.RawMessage, error) {
	if _, _, err := parseSkillURI(uri); err != nil {
		return nil, &Error{uri, err}
	}
	return json.RawMessage(`{"uri":` + jsontree.Quote(uri) + `}`), nil
}

// ReadGet reads the result of skills/get for a URI.
func ReadGet(uri string, result json.RawMessage) (*Entry, error) {
	v, err := one(result)
	if err != nil {
		return nil, fmt.Errorf("result of %s: %w", MethodGet, err)
	}
	skill := v.Get("skill")
	if skill == nil {
		return nil, fmt.Errorf("result of %s: skill is missing", MethodGet)
	}
	e, err := read(skill)
	if err != nil {
		return nil, err
	}
	if e.URI != uri {
		return nil, &Error{uri, fmt.Errorf("the server sent the entry of another skill, %q", clip(e.URI))}
	}
	return e, nil
}

// one reads a single JSON value.
func one(data []byte) (*jsontree.Value, error) {
	all, err := jsontree.Read(data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || !all[0].Is(jsontree.Object) {
		return nil, errors.New("it is not an object")
	}
	return all[0], nil
}
