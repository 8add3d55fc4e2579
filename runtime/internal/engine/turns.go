package engine

import "context"

// turns limit the replies that are made at the same time for one channel. Otherwise all handlers
// that found room would go on together, and fill the budget for a client that does not read. They
// are semaphores; any goroutine may use them.
type turns struct {
	medium chan struct{} // for replies of more than smallReply
	large  chan struct{} // also needed for replies of more than keptBuffer
}

// mediumReplies limits the replies larger than smallReply that are made at the same time for one
// channel.
const mediumReplies = 16

func newTurns() *turns {
	return &turns{medium: make(chan struct{}, mediumReplies), large: make(chan struct{}, 1)}
}

// WaitTurn waits for the turns that a reply of the given size needs. A large reply takes the medium
// turn before the large one, always in this order, so that two requests cannot block each other. It
// returns an error if the request ends.
func (x *Exchange) WaitTurn(size int) error {
	t := x.conn.replyTurns
	if t == nil {
		return nil
	}
	if err := x.takeTurn(t.medium, size > smallReply, &x.mediumTurn); err != nil {
		return err
	}
	return x.takeTurn(t.large, size > keptBuffer, &x.largeTurn)
}

func (x *Exchange) takeTurn(turn chan struct{}, needed bool, has *bool) error {
	if !needed || *has {
		return nil
	}
	select {
	case turn <- struct{}{}:
	default:
		select {
		case turn <- struct{}{}:
		case <-x.Ctx.Done():
			return context.Cause(&x.Ctx)
		}
	}
	*has = true
	return nil
}

// endTurn gives the turns of the request back.
func (x *Exchange) endTurn() {
	if x.largeTurn {
		x.largeTurn = false
		<-x.conn.replyTurns.large
	}
	if x.mediumTurn {
		x.mediumTurn = false
		<-x.conn.replyTurns.medium
	}
}
