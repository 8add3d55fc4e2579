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

// links has the links that users have been shown, until the server says that what they are
// for is done (notifications/elicitation/complete).
type links struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

// maxLinks bounds them: a server may never complete one.
const maxLinks = 1000

// wait returns a channel that is closed when the link is completed.
func (l *links) wait(id string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if done := l.open[id]; done != nil {
		return done
	}
	done := make(chan struct{})
	if id != "" && len(l.open) < maxLinks {
		if l.open == nil {
			l.open = map[string]chan struct{}{}
		}
		l.open[id] = done
	}
	return done
}

// completed is called with the id of a link that is done. Ids that nothing waits for are
// ignored (client/elicitation).
func (l *links) completed(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if done := l.open[id]; done != nil {
		close(done)
		delete(l.open, id)
	}
}

// openLinks shows the links of an error, and waits until all are completed.
func (c *Client) openLinks(ctx context.Context, e *jsonrpc.Error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limits.QuestionTime, ErrTimeout)
	defer cancel()
	links, err := readLinks(e.Data)
	if err != nil {
		return err
	}
	for _, link := range links {
		if !isSafeLink(link.URL) {
			return fmt.Errorf("%w: the link is neither https nor on this machine: %s", ErrRefused, link.URL)
		}
		link.done = c.links.wait(link.ID)
		action, err := c.options.OpenURL(ctx, link)
		if err != nil {
			return err
		}
		if action != mcp.ActionAccept {
			return fmt.Errorf("%w: the user has not opened the link", ErrRefused)
		}
	}
	for _, link := range links {
		select {
		case <-link.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// maxLinksOfError bounds the links of one error.
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
