package wire

import "math"

// checkEvery is the number of bytes between two calls of Context.Err.
const checkEvery = 64 << 10

// noCheck is a position that the decoder never reaches.
const noCheck = math.MaxInt

// errEnded is Decoder.err if reading stopped before the end of the data, without a syntax error.
var errEnded = new(SyntaxError)

// end stops the reading. As after a syntax error, the position is the end of the data.
func (d *Decoder) end() {
	if d.err == nil {
		d.err = errEnded
	}
	d.pos = len(d.data)
	d.failed = true
}

// Stop stops the reading. [Decoder.Finish] returns err, unless the reading stopped before.
func (d *Decoder) Stop(err error) {
	if d.err == nil {
		d.ended = err
		d.end()
	}
}

// check calls Context.Err, and sets the position of the next call.
func (d *Decoder) check() {
	d.checkAt = d.pos + checkEvery
	if d.err != nil {
		return
	}
	if err := d.opts.Context.Err(); err != nil {
		d.ended = err
		d.end()
	}
}

// checkRest looks for the syntax error that reading would have found if it had not stopped at one
// violation too many: a syntax error takes precedence.
func (d *Decoder) checkRest() *SyntaxError {
	if d.ended != nil {
		return nil
	}
	text := d.data
	if len(d.texts) > 0 {
		text = d.texts[0].data
	}
	var rest Decoder
	rest.Reset(text, Options{MaxDepth: d.opts.MaxDepth, Context: d.opts.Context})
	rest.Skip()
	err := rest.Finish()
	if err, ok := err.(*SyntaxError); ok {
		return err
	}
	d.ended = err
	return nil
}
