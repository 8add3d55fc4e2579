package mcpclient

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// links contains the links that were shown to users, until the server reports that they are done
// (notifications/elicitation/complete).
type links struct {
	mu   sync.Mutex
	open *lru[string, *shownLink] // by elicitationId
}

// shownLink is a link that was shown to a user.
type shownLink struct {
	done chan struct{}
	once sync.Once
}

func (l *shownLink) complete() { l.once.Do(func() { close(l.done) }) }

func (l *shownLink) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// maxLinks limits the stored links, since a server may never complete one. The oldest is dropped
// first.
const maxLinks = 1000

// show stores a link before a user sees it.
func (l *links) show(e *Elicitation) {
	e.link = &shownLink{done: make(chan struct{})}
	if e.ID == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = newLRU[string, *shownLink](maxLinks, maxLinks)
	}
	if link, ok := l.open.get(e.ID); ok && !link.isDone() {
		e.link = link
		return
	}
	l.open.put(e.ID, e.link, 1)
}

// completed handles the id of a link that is done. It ignores unknown ids (client/elicitation).
func (l *links) completed(id string) {
	if link := l.forget(id); link != nil {
		link.complete()
	}
}

// forget removes and returns a link that is done, or returns nil if it is unknown.
func (l *links) forget(id string) *shownLink {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		return nil
	}
	link, _ := l.open.get(id)
	l.open.remove(id)
	return link
}

// openLink shows a link to the user.
func (c *Client) openLink(ctx context.Context, e *Elicitation) (mcp.ElicitAction, error) {
	c.links.show(e)
	action, err := c.options.OpenURL(ctx, e)
	if err != nil || action != mcp.ActionAccept {
		c.links.forget(e.ID)
	}
	return action, err
}

// openLinks shows the links of an error, and waits until all are completed. A user who agrees to
// open a link has not completed it yet.
func (c *Client) openLinks(ctx context.Context, e *jsonrpc.Error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limits.QuestionTime, errQuestionTime)
	defer cancel()
	links, err := readLinks(e.Data)
	if err != nil {
		return err
	}
	for _, link := range links {
		if !isSafeLink(link.URL) {
			return fmt.Errorf("%w: the link is neither https nor on this machine: %s", ErrRefused, link.URL)
		}
		action, err := c.openLink(ctx, link)
		if err != nil {
			return err
		}
		if action != mcp.ActionAccept {
			return fmt.Errorf("%w: the user has not opened the link", ErrRefused)
		}
	}
	for _, link := range links {
		select {
		case <-link.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// maxLinksOfError limits the links of one error.
const maxLinksOfError = 16

// readLinks reads the data of the error.
func readLinks(data []byte) (links []*Elicitation, err error) {
	jsonrpc.Members(data, func(name, value []byte) bool {
		if string(name) != "elicitations" || len(value) == 0 || value[0] != '[' {
			return true
		}
		jsonrpc.Elements(value, func(element []byte) bool {
			var e *Elicitation
			if e, err = readElicitation(element); err != nil {
				return false
			}
			links = append(links, e)
			return len(links) < maxLinksOfError
		})
		return false
	})
	if err == nil && len(links) == 0 {
		err = &dial.Violation{Text: "an error that requires links, without any", Bytes: clip(data)}
	}
	return links, err
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
