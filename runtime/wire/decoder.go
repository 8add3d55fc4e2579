package wire

import (
	"errors"
	"math"
	"strconv"
)

// Limits that apply where [Options] leaves them zero.
const (
	DefaultMaxDepth    = 512 // nested arrays and objects
	DefaultMaxProblems = 20  // violations reported one by one
)

// keptBuffer is the largest buffer, in bytes, that Reset keeps.
const keptBuffer = 64 << 10

// keptFrames is how many levels of nesting a Decoder keeps memory for.
const keptFrames = 64

// ErrElements ends the reading of more elements than [Options.MaxElements] allows.
var ErrElements = errors.New("more elements than are allowed")

// ErrChecked is the error of Finish if [Options] have Check, and the value could be read.
var ErrChecked = errors.New("the value is valid")

// Options of a [Decoder]. The zero value is strict, with the default limits.
type Options struct {
	// Lenient accepts a string that holds the JSON text of a number, a boolean, an array or an
	// object where such a value is expected; a string with commas for an array of the parts, if
	// these are numbers, booleans or values of an enumeration, and any other string for an array of
	// that element; a number for a string that is not a time, a duration or base64; and an empty
	// string for an optional member that is not a plain string, an object or an array of fixed
	// length, as if the member were missing.
	Lenient bool
	// MaxDepth is how deep arrays and objects may nest, 0 for DefaultMaxDepth.
	MaxDepth int
	// MaxProblems is how many violations are kept, 0 for DefaultMaxProblems. Reading ends at the
	// next one.
	MaxProblems int
	// Choices are the values that [StringChoice] accepts, by name.
	Choices map[string]*Choices
	// AnyChoice lets [StringChoice] accept every string. Defaults are read before the choices are
	// known.
	AnyChoice bool
	// MaxElements is how many elements of slices and entries of maps are read, all together; 0 for
	// any number. Reading ends at one more, and Finish returns [ErrElements]. Elements that are
	// skipped, or are part of a raw value, do not count.
	MaxElements int
	// MaxNames limits the names that are kept at a time of members that are skipped, or are part of
	// a raw value, to find one that occurs twice; 0 for any number. One more is ErrElements, too.
	MaxNames int
	// SkipUnknown skips members of objects that are not among the fields.
	SkipUnknown bool
	// Alias lets strings without escapes, and the values that Raw reads, refer to the data, which
	// must not be changed afterwards. It saves a copy of each of them, and retains all of the data
	// as long as one of them is in use.
	Alias bool
	// Check makes Finish return [ErrChecked] instead of nil, for a caller that wants to know
	// whether a value can be read, and nothing else.
	Check bool
	// Context is usually a [context.Context]; nil means none. Its Err is called every 64 KiB. Once
	// it returns an error, reading ends, and Finish returns that error.
	Context interface{ Err() error }
}

// Decoder reads one JSON value out of a byte slice. It never changes the slice, and what it has
// decoded does not refer to it without [Options.Alias].
//
// A Decoder can be used again after a Reset. It serves one goroutine at a time.
type Decoder struct {
	data  []byte
	pos   int
	opts  Options
	depth int

	frames  []frame // the first open ones belong to the objects being read
	open    int
	keys    keyStack
	texts   []input // the texts around data, outermost first
	trail   trail   // position in data of the last violation
	chunk   chunk
	scratch scratch
	lists   scratchLists
	index   spanIndex // of the object whose Variant was looked for
	list    excerpt   // text of the array read last

	unescaped []byte  // buffer for the strings that have escapes
	number    float64 // the last float read, before rounding to its own type
	literal   excerpt // text of the last number read

	mismatched int  // start of the last value of a wrong type
	atomic     bool // see expectsAtom
	silent     bool // violations have neither a path nor a message

	kept    int // end of the last string or object that may not be blank, see acceptBlank
	wrapped int // start of the string that is read as an element, one more than its index

	failed    bool // the value read last was invalid
	broken    bool // something inside the array or object read last was invalid
	quoted    bool // inside a value of the ",string" option
	finished  bool
	err       *SyntaxError // or errEnded
	problems  []Violation
	more      bool // there was a violation beyond MaxProblems
	compared  int  // names that were compared with misspelt ones
	checkAt   int  // where in data Context.Err is called next
	elements  int  // that may still be read
	ended     error
	finishErr error
}

// frame is the state of an object that is being read. Frames are not cleared after use, so a frame
// must not refer to the data.
type frame struct {
	fields   Fields
	seen     uint64   // fields that came, the first 64
	seenMore []uint64 // and the others
	expected int      // the field to come if members come in order
	value    int      // where the value of the member begins, -1 before the first
	optional bool     // the member may be missing
	problems int      // violations before the value
	keys     int      // where the names of this object begin in Decoder.keys
	isOpen   bool     // unknown members are handed out too
	stray    int      // the violation of the only unknown member, one more than its index; -1 for several
	meant    int      // the field that it was probably meant to be, one more than its index
}

// input is a text whose reading is suspended while a text inside it is read.
type input struct {
	data    []byte
	pos     int // behind the string that spells the text inside
	trail   trail
	index   spanIndex
	checkAt int
	depth   int // at which the text inside ends, -1 if it is a scalar
}

// excerpt is a part of Decoder.data, or, where start is negative, copied text. Two integers are
// cheaper to write than a slice, which needs a write barrier.
type excerpt struct {
	start, end int
	copied     []byte
}

// NewDecoder returns a decoder of the JSON value in data.
func NewDecoder(data []byte, o Options) *Decoder {
	d := new(Decoder)
	d.Reset(data, o)
	return d
}

// Reset makes d a decoder of the JSON value in data, as if new. It keeps buffers of moderate size,
// and drops its reference to the earlier data.
func (d *Decoder) Reset(data []byte, o Options) {
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxProblems <= 0 {
		o.MaxProblems = DefaultMaxProblems
	}
	if !d.finished {
		d.release()
	}
	d.data, d.pos, d.opts = data, 0, o
	d.failed, d.broken, d.quoted, d.finished = false, false, false, false
	d.err, d.problems, d.more, d.finishErr = nil, nil, false, nil
	d.compared, d.ended, d.kept, d.wrapped = 0, nil, 0, 0
	d.elements = o.MaxElements
	if o.MaxElements <= 0 {
		d.elements = math.MaxInt
	}
	d.checkAt = noCheck
	if o.Context != nil && len(data) > checkEvery {
		d.checkAt = checkEvery
	}
}

// release drops the references to the input and to buffers that grew large.
func (d *Decoder) release() {
	d.data, d.chunk = nil, chunk{}
	d.depth, d.open = 0, 0
	if len(d.frames) > keptFrames {
		d.frames = nil
	}
	d.keys.reset()
	if d.literal.copied != nil {
		d.literal = excerpt{}
	}
	if d.texts != nil {
		d.texts = nil
	}
	if d.trail.pos != 0 {
		d.trail = trail{}
	}
	if d.index.end != 0 {
		d.index = spanIndex{}
	}
	if d.list.copied != nil {
		d.list = excerpt{}
	}
	if cap(d.unescaped) > keptBuffer {
		d.unescaped = nil
	}
}

// element counts an element, and reports false at one too many, which ends the reading.
func (d *Decoder) element() bool {
	if d.elements--; d.elements >= 0 {
		return true
	}
	d.Stop(ErrElements)
	return false
}

// Finish ends the reading. It returns nil, or a *[SyntaxError] where the text is not one strict
// JSON value and nothing else, or else an *[ArgumentsError] with all violations. It drops the
// reference to the input; calling it again returns the same.
func (d *Decoder) Finish() error {
	d.finished = true
	if d.peek(); d.err == nil && d.pos < len(d.data) {
		d.syntaxError("unexpected " + d.sample() + " after the value")
	}
	if d.err == errEnded {
		d.err = d.checkRest()
	}
	switch {
	case d.ended != nil:
		d.finishErr = d.ended
	case d.err != nil:
		d.finishErr = d.err
	case len(d.problems) > 0:
		d.finishErr = &ArgumentsError{Problems: d.problems, More: d.more}
	}
	d.problems = nil
	d.release()
	if d.finishErr == nil && d.opts.Check {
		d.finishErr = ErrChecked
	}
	return d.finishErr
}

// Failed reports whether the value read last was invalid; the variable for it then is unchanged.
func (d *Decoder) Failed() bool { return d.failed }

// Fail records a violation of the value read last, at its path. The message says what the value
// must be and what was received.
func (d *Decoder) Fail(rule, message string) { d.violate(rule, message) }

// Null reads a null and reports true where one comes next, and otherwise reads nothing.
func (d *Decoder) Null() bool {
	if d.peek() != 'n' {
		return false
	}
	d.failed = !d.readWord("null")
	return !d.failed
}

// peek skips white space and returns the byte behind it, 0 at the end.
func (d *Decoder) peek() byte {
	for d.pos < len(d.data) {
		c := d.data[d.pos]
		if c > ' ' || !isSpace(c) {
			return c
		}
		d.pos++
	}
	return 0
}

// Peek returns the first byte of the next value, 0 at the end of the text.
func (d *Decoder) Peek() byte { return d.peek() }

// readWord reads one of the words true, false and null, the first letter of which has been seen.
func (d *Decoder) readWord(word string) bool {
	if end := d.pos + len(word); end <= len(d.data) && string(d.data[d.pos:end]) == word {
		d.pos = end
		return true
	}
	d.syntaxError("unexpected " + d.sample() + ", want a value")
	return false
}

// enter counts an array or object that opens at the byte to be read next.
func (d *Decoder) enter() bool {
	if d.depth >= d.opts.MaxDepth {
		d.syntaxError("nested deeper than " + strconv.Itoa(d.opts.MaxDepth) + " levels")
		return false
	}
	d.depth++
	d.pos++
	return true
}

// leave counts an array or object that has been closed, and goes back to the text around it where
// it was all of a text.
func (d *Decoder) leave() {
	d.depth--
	if n := len(d.texts); n > 0 && d.texts[n-1].depth == d.depth {
		d.leaveQuotedJSON()
	}
}

// frame returns a frame for an object that begins. The enclosing objects point to their frames, so
// a new block need not contain the old ones.
func (d *Decoder) frame() *frame {
	if d.open == len(d.frames) {
		d.frames = make([]frame, max(8, 2*len(d.frames)))
	}
	f := &d.frames[d.open]
	d.open++
	return f
}

// syntaxError stops the reading for good. Only the first call counts. The position moves to the end
// of the data, so loops need no extra check.
func (d *Decoder) syntaxError(message string) {
	if d.err == nil {
		d.err = &SyntaxError{Offset: d.pos, Path: d.path(), Message: message}
	}
	d.pos = len(d.data)
	d.failed = true
}

// violate records a violation at the current path. One beyond MaxProblems ends the reading: nothing
// that follows could make the value right.
func (d *Decoder) violate(rule, message string) {
	d.failed = true
	if d.err != nil {
		return
	}
	if len(d.problems) >= d.opts.MaxProblems {
		d.more = true
		d.end()
		return
	}
	if d.silent {
		d.problems = append(d.problems, Violation{})
		return
	}
	d.problems = append(d.problems, Violation{Path: d.path(), Rule: rule, Message: message})
}

// violateMember records a violation at a member of the object at the current path.
func (d *Decoder) violateMember(name, rule, message string) {
	n := len(d.problems)
	d.violate(rule, message)
	if len(d.problems) > n {
		p := &d.problems[n]
		p.Path = string(appendPathName([]byte(p.Path), name))
	}
}

// mismatch records that the next value has the wrong type, and skips it.
func (d *Decoder) mismatch(want string) {
	start := d.pos
	d.skip()
	d.mismatched = start
	if d.err != nil {
		return
	}
	if d.silent {
		d.violate(RuleType, "")
		return
	}
	d.violate(RuleType, "must be "+want+", got "+described(d.data[start:d.pos]))
}

// numberRead returns the text of the number read last.
func (d *Decoder) numberRead() []byte {
	return d.text(d.literal)
}

// text returns the bytes of an excerpt, nil if the data has been replaced since.
func (d *Decoder) text(x excerpt) []byte {
	switch {
	case x.start < 0:
		return x.copied
	case x.end <= len(d.data):
		return d.data[x.start:x.end]
	}
	return nil
}

// problemCount returns the number of violations so far.
func (d *Decoder) problemCount() int { return len(d.problems) }
