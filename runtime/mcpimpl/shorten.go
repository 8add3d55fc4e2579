package mcpimpl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Cut configures how [Shorten] writes the list of a result.
type Cut struct {
	Member   string        // name of the list
	Narrow   []string      // arguments that make the result smaller
	Page     int           // maximum number of elements; 0 means as many as fit
	Offset   int           // elements of the list before the first one
	Own      bool          // the result has its own member total
	Cursor   *Page         // of a function that takes a cursor, nil for others
	Text     string        // replaces the JSON text
	Content  []mcp.Content // further blocks
	position int           // of the first element
	total    int
	limit    int
}

// Page is the position at which the result of a function with a cursor begins.
type Page struct {
	Member string // name of the next cursor
	Next   string // next cursor of the function, "" if no page follows
	own    string // cursor of the function
	offset int    // elements of its list before the first one
}

// PageOf reads a cursor that [Shorten] wrote, and replaces it with the cursor of the function,
// which is empty on its first page.
func PageOf[S ~string](cursor *S) (*Page, error) {
	if *cursor == "" {
		return &Page{}, nil
	}
	number, own, found := strings.Cut(string(*cursor), ":")
	offset, err := strconv.ParseUint(number, 10, 31)
	if !found || err != nil {
		return nil, mcp.Errorf("cursor: must be the next cursor of an earlier result, got %q", string(*cursor))
	}
	*cursor = S(own)
	return &Page{own: own, offset: int(offset)}, nil
}

// Shorten writes the last members of the object that e began: a list with as many whole elements as
// the size limit allows beside the other members, whether it omits elements after them, the total,
// and the start of the next page. It closes the object and returns the result. If elements are
// omitted, the last text block explains how to get them.
func Shorten[T any](req *mcp.Request, e *wire.Encoder, c Cut, list []T, put func(*wire.Encoder, *T)) (*mcp.ToolResult, error) {
	if c.Cursor != nil {
		c.Offset = c.Cursor.offset
	}
	c.total, c.limit = len(list), e.Limit()
	c.position = min(c.Offset, len(list))
	list = list[c.position:]
	if c.Page > 0 && len(list) > c.Page {
		list = list[:c.Page]
	}
	e.Name(c.Member)
	// The tails for other counts differ in words and numbers, which are not longer than the
	// addition.
	n := wire.PutWithin(e, list, put, c.tail(0)+128, c.tail)
	more := c.more(n)
	e.Name("truncated")
	wire.PutBool(e, &more)
	if c.hasTotal() {
		e.Name("total")
		wire.PutInt(e, &c.total)
	}
	if cursor := c.next(n); cursor != "" {
		e.Name(c.Cursor.Member)
		wire.PutString(e, &cursor)
	} else if more && c.paged() {
		next := c.behind(n)
		e.Name("nextOffset")
		wire.PutInt(e, &next)
	}
	e.End()
	content := c.Content
	if more {
		content = append(content[:len(content):len(content)], mcp.Text{Text: c.sentence(n)})
	}
	return funcs.StructuredWith(req, e, c.Text, content...)
}

// paged reports whether the tool has the argument offset.
func (c *Cut) paged() bool { return c.Page > 0 && c.Cursor == nil }

// hasTotal reports whether list contains all elements, and no other member contains their number.
func (c *Cut) hasTotal() bool { return c.Cursor == nil && !c.Own }

// more reports whether elements after n are omitted.
func (c *Cut) more(n int) bool {
	return c.position+n < c.total || c.Cursor != nil && c.Cursor.Next != ""
}

// behind returns the offset of the next page. If the first element alone does not fit, it is
// skipped, so that paging terminates.
func (c *Cut) behind(n int) int { return c.position + max(n, 1) }

// next returns the next cursor: the current cursor of the function with an offset, or the cursor of
// its next page; "" if no page follows, or the function takes no cursor.
func (c *Cut) next(n int) string {
	switch {
	case c.Cursor == nil:
		return ""
	case c.position < c.total && c.behind(n) < c.total:
		return strconv.Itoa(c.behind(n)) + ":" + c.Cursor.own
	case c.Cursor.Next != "":
		return "0:" + c.Cursor.Next
	}
	return ""
}

// tail returns the number of bytes after n elements, including the sentence.
func (c *Cut) tail(n int) int {
	more := c.more(n)
	size := len(`],"truncated":true}`)
	if c.hasTotal() {
		size += len(`,"total":`) + len(strconv.Itoa(c.total))
	}
	if cursor := c.next(n); cursor != "" {
		size += len(`,"":`) + len(c.Cursor.Member) + len(wire.AppendString(nil, cursor))
	} else if more && c.paged() {
		size += len(`,"nextOffset":`) + len(strconv.Itoa(c.behind(n)))
	}
	if !more {
		return size + 1 // false
	}
	return size + len(c.sentence(n))
}

// sentence explains that n elements are only a part, why, and how to get others.
func (c *Cut) sentence(n int) string {
	first, last := c.position+1, c.position+n
	full := c.position+n < c.total && (c.Page == 0 || n < c.Page) // cut by the size limit
	var b strings.Builder
	switch {
	case n == 0 && c.position == c.total:
		b.WriteString("This page is empty, and another one follows")
	case n == 0:
		fmt.Fprintf(&b, "Item %d of %d is left out, since it has more than the %d bytes that are allowed", first, c.total, c.limit)
	default:
		fmt.Fprintf(&b, "These are items %d to %d", first, last)
		if fmt.Fprintf(&b, " of %d", c.total); !c.hasTotal() {
			b.WriteString(" on this page")
		}
		if full {
			fmt.Fprintf(&b, ", since a result has at most %d bytes", c.limit)
		}
	}
	b.WriteString("; ")
	continued := ""
	if cursor := c.next(n); cursor != "" {
		continued = fmt.Sprintf("continue with cursor=%q", cursor)
	} else if c.paged() {
		continued = fmt.Sprintf("continue with offset=%d", c.behind(n))
	}
	switch narrow := either(c.Narrow); {
	case narrow != "" && continued != "":
		b.WriteString("narrow the result by " + narrow + ", or " + continued)
	case narrow != "":
		b.WriteString("narrow the result by " + narrow)
	case continued != "":
		b.WriteString(continued)
	default:
		b.WriteString("no argument narrows it")
	}
	b.WriteByte('.')
	return b.String()
}

// either joins names with commas and "or".
func either(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
