package mcpws

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Opcodes of control frames, with the bit that marks the last fragment (RFC 6455,
// section 5.2).
const (
	pingFrame = 0x89
	pongFrame = 0x8a
)

// keeper pings the client, and answers the pings of the client.
//
// The library can do both, but waits for whoever writes: it does so in the
// goroutine that reads, and gives the connection up after five seconds. A client
// that fetches a large message and pings meanwhile would be cut off, and its
// cancellations would not be heard. So control frames are written here, between
// two messages, by goroutines that nobody waits for.
type keeper struct {
	conn *conn

	mu      sync.Mutex
	stopped bool

	timer    *time.Timer
	interval time.Duration
	pinged   bool  // and nothing has been heard since
	received int64 // bytes of the client at that time

	answering  bool
	unanswered bool
	payload    []byte // of the ping that is unanswered
}

// start begins to ping.
func (k *keeper) start(interval time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if interval <= 0 || k.stopped {
		return
	}
	k.interval = interval
	k.timer = time.AfterFunc(interval, k.tick)
}

// stop lets the timer rest. A frame that is being written is left to whoever
// closes the connection.
func (k *keeper) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopped = true
	if k.timer != nil {
		k.timer.Stop()
	}
}

// tick cuts off a client that has let the last ping unanswered, and pings. While
// something is being written there is no need: that has a deadline of its own.
func (k *keeper) tick() {
	c := k.conn
	received := c.socket.received.Load()
	if k.pinged && received == k.received {
		c.fail(errSilent, websocket.StatusGoingAway, "")
		c.cut()
		return
	}
	k.pinged = false
	select {
	case c.writing <- struct{}{}:
		k.pinged, k.received = true, received
		cut := time.AfterFunc(k.interval, func() {
			c.fail(errWriter, websocket.StatusGoingAway, "")
			c.cut()
		})
		k.write(pingFrame, nil)
		cut.Stop()
		<-c.writing
	default:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stopped {
		k.timer.Reset(k.interval)
	}
}

// write writes a control frame. The caller holds the place of the one that writes.
// Where it fails, reading fails too, or the next message.
func (k *keeper) write(head byte, payload []byte) {
	_, _ = k.conn.socket.Write(append([]byte{head, byte(len(payload))}, payload...))
}

// onPing answers a ping of the client, or the latest one where several have come
// before one could be answered (RFC 6455, section 5.5.3). It keeps the library from
// doing so.
func (c *conn) onPing(_ context.Context, payload []byte) bool {
	k := &c.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	k.payload, k.unanswered = append(k.payload[:0], payload...), true
	if !k.answering && !k.stopped {
		k.answering = true
		go k.answer()
	}
	return false
}

// answer sends pongs until there is no ping left.
func (k *keeper) answer() {
	for k.more() {
		select {
		case k.conn.writing <- struct{}{}:
		case <-k.conn.closed:
			return
		}
		k.mu.Lock()
		payload := append([]byte(nil), k.payload...)
		k.unanswered = false
		k.mu.Unlock()
		k.write(pongFrame, payload)
		<-k.conn.writing
	}
}

// more reports whether there is a ping to be answered; if not, answering ends.
func (k *keeper) more() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answering = k.unanswered
	return k.unanswered
}
