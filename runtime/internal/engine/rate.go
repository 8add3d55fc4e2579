package engine

import (
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file limits the rates of notifications of a request: progress and log messages
// (basic/utilities/progress and server/utilities/logging, rate limits). Goroutines that the handler
// started add them, and a timer sends progress that had to wait. Conn.mu guards all state.

// notices is the state of the notifications of one request.
type notices struct {
	progress bucket
	newest   report
	reported bool        // progress has been reported
	pending  bool        // the newest report is not sent yet
	timer    *time.Timer // fires when the rate allows to send it; nil if no report waits

	logs       bucket
	omitted    int       // log messages that were not sent since the client last got their number
	level      int8      // the highest level of these
	reportedAt time.Time // time when the client last got the number
}

// report is a report of progress.
type report struct {
	token       jsonrpc.ID
	done, total float64
	message     string
}

// bucket is a token bucket. Its size is the rate per second.
type bucket struct {
	tokens float64
	at     time.Time
}

// take takes a token, and reports whether it could.
func (b *bucket) take(rate int) bool {
	now := time.Now()
	if b.at.IsZero() {
		b.tokens = float64(rate)
	} else {
		b.tokens = min(float64(rate), b.tokens+now.Sub(b.at).Seconds()*float64(rate))
	}
	b.at = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// wait returns the time until a token is available.
func (b *bucket) wait(rate int) time.Duration {
	return time.Duration((1-b.tokens)/float64(rate)*float64(time.Second)) + time.Microsecond
}

// noticesLocked returns the notices of the request. The caller holds Conn.mu.
func (x *Exchange) noticesLocked() *notices {
	if x.notices == nil {
		x.notices = new(notices)
	}
	return x.notices
}

// QueueProgress sends a report of progress as soon as the rate allows. If the client reads slowly,
// it waits for room in the queue.
func (x *Exchange) QueueProgress(token jsonrpc.ID, done, total float64, message string) {
	r := report{token, done, total, message}
	x.Sink.Wait()
	c := x.conn
	c.mu.Lock()
	n := x.noticesLocked()
	if !x.answered && (!n.reported || r.done > n.newest.done) {
		n.newest, n.reported, n.pending = r, true, true
		rate := c.Settings.Limits.ProgressRate
		switch {
		case n.timer != nil: // another report waits already
		case n.progress.take(rate):
			x.sendProgressLocked()
		default:
			n.timer = time.AfterFunc(n.progress.wait(rate), x.progressTurn)
		}
	}
	c.mu.Unlock()
	x.Sink.Flush()
}

// progressTurn sends the waiting report. A timer calls it, so it does not wait: if the client reads
// slowly, it sets the timer again.
func (x *Exchange) progressTurn() {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	n := x.notices
	n.timer = nil
	if x.answered || !n.pending {
		return
	}
	rate := c.Settings.Limits.ProgressRate
	if x.Sink.Full() || !n.progress.take(rate) {
		n.timer = time.AfterFunc(max(n.progress.wait(rate), time.Millisecond), x.progressTurn)
		return
	}
	x.sendProgressLocked()
	x.Sink.FlushAsync()
}

// sendProgressLocked queues the newest report. The caller holds Conn.mu.
func (x *Exchange) sendProgressLocked() {
	n := x.notices
	n.pending = false
	note := notePool.Get().(*[]byte)
	*note = n.newest.appendTo((*note)[:0], x.Revision)
	x.Sink.Notify(*note)
	if cap(*note) <= keptBuffer {
		notePool.Put(note)
	}
}

func (r *report) appendTo(b []byte, rev *protocol.Revision) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`+protocol.Progress+`","params":{"progressToken":`...)
	b = append(b, r.token.Raw()...)
	b = append(b, `,"progress":`...)
	b = wire.AppendFloat(b, r.done, 64)
	if r.total > 0 {
		b = append(b, `,"total":`...)
		b = wire.AppendFloat(b, r.total, 64)
	}
	if rev.Fields.ProgressMessage {
		b = jsonobject.AppendText(b, "message", r.message)
	}
	return append(b, "}}"...)
}

// CountLog counts a log message, and reports whether the rate allows to send it.
func (x *Exchange) CountLog(level int8) bool {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.answered {
		return false
	}
	n := x.noticesLocked()
	if !n.logs.take(c.Settings.Limits.LogRate) {
		n.omitted++
		n.level = max(n.level, level)
		return false
	}
	if now := time.Now(); n.omitted > 0 && now.Sub(n.reportedAt) >= time.Second {
		n.reportedAt = now
		x.sendOmittedLocked()
	}
	return true
}

// sendOmittedLocked queues a log message with the number of messages that were not sent. The caller
// holds Conn.mu.
func (x *Exchange) sendOmittedLocked() {
	n := x.notices
	b := append([]byte(nil), `{"level":"`...)
	b = append(b, protocol.Levels[n.level]...)
	b = append(b, '"')
	b = jsonobject.AppendText(b, "logger", x.Feature)
	b = append(b, `,"data":{"message":"log messages left out: too many at once","omitted":`...)
	b = strconv.AppendInt(b, int64(n.omitted), 10)
	x.Sink.Notify(jsonrpc.AppendNotification(nil, protocol.LogMessage, append(b, "}}"...)))
	n.omitted, n.level = 0, 0
}

// closeNoticesLocked queues the notifications that precede the reply: the newest report of
// progress, and the number of log messages that were not sent. The caller holds Conn.mu.
func (x *Exchange) closeNoticesLocked() {
	n := x.notices
	if n == nil {
		return
	}
	x.dropNoticesLocked()
	if n.pending {
		x.sendProgressLocked()
	}
	if n.omitted > 0 {
		x.sendOmittedLocked()
	}
}

// dropNoticesLocked stops the timer of a report. The caller holds Conn.mu.
func (x *Exchange) dropNoticesLocked() {
	if n := x.notices; n != nil && n.timer != nil {
		n.timer.Stop()
	}
}

// notePool contains the storage of notifications, which are copied when they are queued.
var notePool = sync.Pool{New: func() any { return new([]byte) }}
