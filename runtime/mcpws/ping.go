package mcpws

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Opcodes of control frames, with the FIN bit (RFC 6455, section 5.2).
const (
	pingFrame = 0x89
	pongFrame = 0x8a
)

// maskBit is set in the second byte of a masked frame.
const maskBit = 0x80

// pinger sends pings, and answers the pings of the other side.
//
// The library could do both. It would wait for the writer, in the goroutine that reads, and close
// the connection after five seconds. A peer that reads a large message and pings at the same time
// would be disconnected, and its cancellations would be delayed. Therefore separate goroutines (in
// this file) write control frames, between two messages.
type pinger struct {
	conn *conn

	mu      sync.Mutex
	stopped bool

	timer        *time.Timer
	interval     time.Duration
	awaitingPong bool  // no byte has arrived since the last ping
	received     int64 // bytes received before the last ping

	ponging bool
	pongDue bool
	payload []byte // of the latest ping
}

// start starts the pings.
func (k *pinger) start(interval time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if interval <= 0 || k.stopped {
		return
	}
	k.interval = interval
	k.timer = time.AfterFunc(interval, k.tick)
}

// stop stops the pings. It does not interrupt the write of a frame: closing the connection does.
func (k *pinger) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopped = true
	if k.timer != nil {
		k.timer.Stop()
	}
}

// tick closes the connection if the last ping was not answered, and sends a ping. It sends no ping
// during another write, which has its own deadline.
func (k *pinger) tick() {
	c := k.conn
	received := c.socket.received.Load()
	if k.awaitingPong && received == k.received {
		c.setCause(errors.New(c.other+" does not answer pings"), websocket.StatusGoingAway, "")
		c.cut()
		return
	}
	k.awaitingPong = false
	select {
	case c.writeLock <- struct{}{}:
		k.awaitingPong, k.received = true, received
		cut := time.AfterFunc(k.interval, func() {
			c.setCause(errors.New(c.other+" does not read pings"), websocket.StatusGoingAway, "")
			c.cut()
		})
		k.write(pingFrame, nil)
		cut.Stop()
		<-c.writeLock
	default:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stopped {
		k.timer.Reset(k.interval)
	}
}

// write writes a control frame. The caller holds the write lock. It ignores the error, since
// reading or the next message fails too.
func (k *pinger) write(head byte, payload []byte) {
	frame := []byte{head, byte(len(payload))}
	if !k.conn.masks {
		_, _ = k.conn.socket.Write(append(frame, payload...))
		return
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // never fails
	frame[1] |= maskBit
	frame = append(frame, mask[:]...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%len(mask)])
	}
	_, _ = k.conn.socket.Write(frame)
}

// onPing schedules the answer to a ping of the other side. If several pings arrive before that,
// only the latest is answered (RFC 6455, section 5.5.3). It returns false, so that the library does
// not answer.
func (c *conn) onPing(_ context.Context, payload []byte) bool {
	k := &c.pinger
	k.mu.Lock()
	defer k.mu.Unlock()
	k.payload, k.pongDue = append(k.payload[:0], payload...), true
	if !k.ponging && !k.stopped {
		k.ponging = true
		go k.sendPongs()
	}
	return false
}

// sendPongs answers pings until all are answered.
func (k *pinger) sendPongs() {
	for k.pongPending() {
		select {
		case k.conn.writeLock <- struct{}{}:
		case <-k.conn.closed:
			return
		}
		k.mu.Lock()
		payload := append([]byte(nil), k.payload...)
		k.pongDue = false
		k.mu.Unlock()
		k.write(pongFrame, payload)
		<-k.conn.writeLock
	}
}

// pongPending reports whether a ping must be answered. If not, sendPongs ends.
func (k *pinger) pongPending() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ponging = k.pongDue
	return k.pongDue
}
