package sharedsession

import (
	"context"
	"strconv"
	"strings"
	"sync"
)

// Notices numbers the events of the stream for messages that do not belong to a request. The client
// reads that stream at one replica. Its events are not stored: the id of an event is the number of
// its notice ([mcp.PubSub]), and a client that resumes is notified of the later notices. Messages
// without a notice, such as the change of a list of tools, have no id, and concern this replica
// only.
type Notices struct {
	mu       sync.Mutex
	last     uint64 // the client has received all notices up to this number
	resuming int    // number of goroutines that notify the client of earlier notices
}

// noticePrefix is the prefix of the ids of events.
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

// ID returns the id of the event of a notice that is being written, or "" for 0.
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

// ParseNoticeID parses the id of an event, with or without data.
func ParseNoticeID(id string) (number uint64, ok bool) {
	text, ok := strings.CutPrefix(id, noticePrefix)
	if !ok {
		return 0, false
	}
	return parseSequence(text)
}

// resumed returns the number up to which the client has received all notices: the given number if
// the client resumes.
func (n *Notices) resumed(number uint64, resumes bool) (after uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if resumes {
		n.last = number
	}
	return n.last
}

// Listen completes the responses of the stream at other replicas. A client that resumes has
// received all notices up to number. Once the response is attached, notify notifies the client of
// possible changes since then.
func (c *Session) Listen(ctx context.Context, number uint64, resumes bool) (notify func()) {
	c.sendAll(ctx, message{Kind: listenMessage})
	after := c.Notices.resumed(number, resumes)
	return func() { c.notifyAfter(after) }
}

// notifyAfter notifies the client of possible changes after a notice.
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
