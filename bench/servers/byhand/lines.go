package byhand

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"sync"
	"sync/atomic"
)

// ServeLines answers one message a line until the input ends.
func (s *Server) ServeLines(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	o := &output{w: bufio.NewWriterSize(out, 64<<10)}
	var running sync.WaitGroup
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			running.Wait()
			return nil
		}
		if err != nil {
			return err
		}
		running.Go(func() { s.answerLine(line, o) })
	}
}

func (s *Server) answerLine(line []byte, out *output) {
	var r Request
	var reply []byte
	err := json.Unmarshal(line, &r)
	switch {
	case err != nil:
		reply, err = json.Marshal(&Reply{Version: "2.0", Error: &Error{Code: -32700, Message: err.Error()}})
	case r.ID == nil:
		return
	default:
		reply, err = s.Answer(context.Background(), &r, out.write)
	}
	if err != nil {
		log.Print(err)
		return
	}
	out.write(reply)
}

// output writes a line. It does not flush if another writer is waiting, which then
// flushes.
type output struct {
	waiting atomic.Int32
	mu      sync.Mutex
	w       *bufio.Writer
}

func (o *output) write(message []byte) {
	o.waiting.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.w.Write(message)
	if err == nil {
		err = o.w.WriteByte('\n')
	}
	if o.waiting.Add(-1) == 0 && err == nil {
		err = o.w.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}
