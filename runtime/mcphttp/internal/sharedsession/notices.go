package sharedsession

import (
	"context"
	"strconv"
	"strings"
	"sync"
)

// Notices numbers the events of the stream for messages that belong to no request. The client has that stream at
// one replica. Nothing of it is stored: the id of an event is the number of the notice ([mcp.PubSub]) that it is
// from, and a client that resumes is notified of those after it. Messages without a notice, such as the change
// of a list of tools, have no id, and are those of this replica.
type Notices struct {
	mu       sync.Mutex
	last     uint64 // the number of a notice up to which the client has all
	resuming int    // how many goroutines notify the client of earlier ones
}

// noticePrefix is the beginning of the ids of events.
const noticePrefix = "s-"

// Number returns the number of a notice for its event: 0 while earlier ones may follow.
func (n *Notices) Number(number uint64) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.resuming > 0 {
		return 0
	}
	return number
}

// ID returns the id of the event of a notice, which is being written; "" for 0.
func (n *Notices) ID(number uint64) string {
	if number == 0 {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = max(n.last, number)
	return noticeID(number)
}

// EmptyID returns the beginning of the id of an event without data.
func (n *Notices) EmptyID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return noticeID(n.last)
}

func noticeID(number uint64) string { return noticePrefix + strconv.FormatUint(number, 10) }

// ParseNoticeID parses the id of an event, also of one without data.
func ParseNoticeID(id string) (number uint64, ok bool) {
	text, ok := strings.CutPrefix(id, noticePrefix)
	if !ok {
		return 0, false
	}
	return parseSequence(text)
}

// resumed returns the number up to which the client has all notices: that one, if it resumes.
func (n *Notices) resumed(number uint64, resumes bool) (after uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if resumes {
		n.last = number
	}
	return n.last
}

// Listen ends the responses of the stream at other replicas. A client that resumes has all notices up to number.
// Once the response is attached, notify notifies it of what may have changed since.
func (c *Session) Listen(ctx context.Context, number uint64, resumes bool) (notify func()) {
	c.sendAll(ctx, message{Kind: listenMessage})
	after := c.Notices.resumed(number, resumes)
	return func() { c.notifyAfter(after) }
}

// notifyAfter notifies the client of what may have changed after a notice.
func (c *Session) notifyAfter(after uint64) {
	add := func(more int) {
		c.Notices.mu.Lock()
		defer c.Notices.mu.Unlock()
		c.Notices.resuming += more
	}
	add(1)
	defer add(-1)
	c.local.Load().Resume(after)
}
