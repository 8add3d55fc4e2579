package wire

// spare is memory for one value of a map while it is read or written. It is there
// for the common types only, which have no methods: a method could keep an
// address.
type spare struct {
	text    string
	float   float64
	integer int
	boolean bool
}

// spareLists is memory for the elements of a list whose number is not yet known.
type spareLists struct {
	texts    []string
	floats   []float64
	integers []int
}

// keptElements is how many elements of a slice a Decoder keeps memory for.
const keptElements = 256

// spareOf returns memory for one value of a map at a time. Its address leaves the
// function that reads or writes the map, so a variable there would be allocated.
// For types that are not common it is new.
func spareOf[T any](s *spare) *T {
	if t, ok := any(&s.text).(*T); ok {
		return t
	}
	if t, ok := any(&s.float).(*T); ok {
		return t
	}
	if t, ok := any(&s.integer).(*T); ok {
		return t
	}
	if t, ok := any(&s.boolean).(*T); ok {
		return t
	}
	return new(T)
}

// spareListOf returns a slice to read elements into, nil if there is none for the
// type.
func spareListOf[T any](s *spareLists) *[]T {
	if t, ok := any(&s.texts).(*[]T); ok {
		return t
	}
	if t, ok := any(&s.floats).(*[]T); ok {
		return t
	}
	if t, ok := any(&s.integers).(*[]T); ok {
		return t
	}
	return nil
}
