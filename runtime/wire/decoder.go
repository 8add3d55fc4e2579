package wire

import (
	"errors"
	"math"
	"strconv"
)

// Limits for [Options] that are zero.
const (
	DefaultMaxDepth    = 512 // nested arrays and objects
	DefaultMaxProblems = 20  // violations reported one by one
)

// keptBuffer is the largest buffer, in bytes, that Reset keeps.
const keptBuffer = 64 << 10

// keptObjects is the number of nesting levels for which a Decoder keeps memory.
const keptObjects = 64

// ErrElements is the error of Finish after more elements than [Options.MaxElements] allows.
var ErrElements = errors.New("more elements than are allowed")

// ErrChecked is the error of Finish if [Options.Check] is set and the value is valid.
var ErrChecked = errors.New("the value is valid")

// Options configures a [Decoder]. The zero value is strict, with the default limits.
type Options struct {
	// Help helps senders whose values are not as expected; nil is strict, and gives no advice.
	Help Help
	// MaxDepth limits the nesting of arrays and objects; 0 means DefaultMaxDepth.
	MaxDepth int
	// MaxProblems limits the recorded violations; 0 means DefaultMaxProblems. The next violation
	// stops the reading.
	MaxProblems int
	// Choices contains the values that [StringChoice] accepts, by name.
	Choices map[string]*Choices
	// AnyChoice lets [StringChoice] accept every string. It is for defaults, which are read before
	// the choices are known.
	AnyChoice bool
	// MaxElements limits the elements of slices and entries of maps that are read, all together; 0
	// means no limit. One more stops the reading, and Finish returns [ErrElements]. Elements that
	// are skipped, or are part of a raw value, do not count.
	MaxElements int
	// MaxNames limits the names kept to find duplicates among members that are skipped or part of a
	// raw value; 0 means no limit. One more stops the reading with ErrElements, too.
	MaxNames int
	// SkipUnknown skips unknown members of objects.
	SkipUnknown bool
	// Alias lets strings without escapes, and the values that Raw reads, refer to the data, which
	// must not be changed afterwards. It saves a copy of each of them, and retains all of the data
	// as long as one of them is in use.
	Alias bool
	// Check makes Finish return [ErrChecked] instead of nil, for a caller that only asks whether a
	// value is valid.
	Check bool
	// Context is usually a [context.Context]; nil means no context. Err is called every 64 KiB.
	// Once it returns an error, reading ends, and Finish returns that error.
	Context interface{ Err() error }
}

// Decoder reads one JSON value out of a byte slice. It never changes the slice, and decoded values
// do not refer to it without [Options.Alias].
//
// A Decoder can be used again after a Reset. It serves one goroutine at a time.
type Decoder struct {
	data  []byte
	pos   int
	opts  Options
	depth int

	objects []Object // the first open ones are being read
	open    int
	keys    keyStack
	texts   []input // texts around data, outermost first
	trail   trail   // position in data of the last violation
	chunk   chunk
	scratch scratch
	lists   scratchLists
	index   spanIndex // of the object that Variant searched
	list    excerpt   // the array read last

	unescaped []byte  // buffer for strings with escapes
	number    float64 // the last float read, before rounding to its own type
	literal   excerpt // the number read last

	mismatched int  // start of the last value of a wrong type
	atomic     bool // see expectsAtom
	silent     bool // violations have neither a path nor a message

	lenient bool // see Leniency

	kept    int // end of the last string or object that is a value even if blank, see acceptBlank
	wrapped int // start of the string that is read as a list element, plus one

	failed    bool // the value read last was invalid
	broken    bool // a value inside the current array or object was invalid
	quoted    bool // inside a value of the ",string" option
	finished  bool
	err       *SyntaxError // or errEnded
	problems  []Violation
	more      bool // violations beyond MaxProblems occurred
	compared  int  // names compared with unknown ones
	checkAt   int  // position in data of the next call of Context.Err
	elements  int  // remaining elements
	ended     error
	finishErr error
}

// input is a text whose reading is suspended while a text quoted in it is read.
type input struct {
	data    []byte
	pos     int // position after the string that quotes the inner text
	trail   trail
	index   spanIndex
	checkAt int
	depth   int // depth at which the inner text ends, -1 for a scalar
}

// excerpt is a part of Decoder.data, or a copied text if start is negative. Two integers are
// cheaper to write than a slice, which needs a write barrier.
type excerpt struct {
	start, end int
	copied     []byte
}

// NewDecoder returns a decoder for the JSON value in data.
func NewDecoder(data []byte, o Options) *Decoder {
	d := new(Decoder)
	d.Reset(data, o)
	return d
}

// Reset makes d read the JSON value in data, like a new decoder. It keeps buffers of moderate size,
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
	d.lenient = o.Help != nil && o.Help.lenient()
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
	for i := range d.open { // none, unless the reading stopped early
		d.objects[i].name = ""
	}
	d.depth, d.open = 0, 0
	if len(d.objects) > keptObjects {
		d.objects = nil
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

// element counts an element. It returns false at one too many, which stops the reading.
func (d *Decoder) element() bool {
	if d.elements--; d.elements >= 0 {
		return true
	}
	d.Stop(ErrElements)
	return false
}

// Finish stops the reading. It returns nil; a *[SyntaxError] if the text is not exactly one strict
// JSON value; or an *[ArgumentsError] with all violations. It drops the reference to the input.
// Later calls return the same error.
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

// Failed reports whether the last value was invalid, in which case its variable is unchanged.
func (d *Decoder) Failed() bool { return d.failed }

// Fail records a violation by the last value, at its path. The message names the expected and the
// received value.
func (d *Decoder) Fail(rule, message string) { d.violate(rule, message) }

// Null reads a null if one comes next, and reports whether it did. Otherwise it reads nothing.
func (d *Decoder) Null() bool {
	if d.peek() != 'n' {
		return false
	}
	d.failed = !d.readWord("null")
	return !d.failed
}

// peek skips white space and returns the next byte, 0 at the end.
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

// readWord reads one of the words true, false and null, whose first letter has been seen.
func (d *Decoder) readWord(word string) bool {
	if end := d.pos + len(word); end <= len(d.data) && string(d.data[d.pos:end]) == word {
		d.pos = end
		return true
	}
	d.syntaxError("unexpected " + d.sample() + ", want a value")
	return false
}

// enter counts an array or object that opens at the next byte.
func (d *Decoder) enter() bool {
	if d.depth >= d.opts.MaxDepth {
		d.syntaxError("nested deeper than " + strconv.Itoa(d.opts.MaxDepth) + " levels")
		return false
	}
	d.depth++
	d.pos++
	return true
}

// leave counts a closed array or object, and returns to the text around it after the end of a
// quoted text.
func (d *Decoder) leave() {
	d.depth--
	if n := len(d.texts); n > 0 && d.texts[n-1].depth == d.depth {
		d.leaveQuotedJSON()
	}
}

// nextObject returns the memory for an object that begins. Those who read the enclosing objects
// point to them, so a new block need not contain the old ones.
func (d *Decoder) nextObject() *Object {
	if d.open == len(d.objects) {
		d.objects = make([]Object, max(8, 2*len(d.objects)))
	}
	o := &d.objects[d.open]
	d.open++
	return o
}

// syntaxError stops the reading for good, and only its first call counts. It moves the position to
// the end of the data, so loops need no extra check.
func (d *Decoder) syntaxError(message string) {
	if d.err == nil {
		d.err = &SyntaxError{Offset: d.pos, Path: d.path(), Message: message}
	}
	d.pos = len(d.data)
	d.failed = true
}

// violate records a violation at the current path. One beyond MaxProblems stops the reading: no
// later byte could make the value valid.
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

// numberRead returns the digits of the last number.
func (d *Decoder) numberRead() []byte {
	return d.text(d.literal)
}

// text returns the bytes of an excerpt, or nil if the data has been replaced since.
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
