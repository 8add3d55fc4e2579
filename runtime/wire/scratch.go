package wire

// scratch is memory for one map value while it is read or written. It has fields only for common
// types without methods: a method could retain the address.
type scratch struct {
	text    string
	float   float64
	integer int
	boolean bool
}

// scratchLists is memory for the elements of a list of unknown length.
type scratchLists struct {
	texts    []string
	floats   []float64
	integers []int
}

// keptElements is the number of slice elements for which a Decoder keeps memory.
const keptElements = 256

// scratchOf returns memory for one value of a map at a time. Its address leaves the function that
// reads or writes the map, so a variable there would be allocated. For types without a field in
// scratch it allocates.
func scratchOf[T any](s *scratch) *T {
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

// scratchListOf returns a slice to read elements into, or nil for other types.
func scratchListOf[T any](s *scratchLists) *[]T {
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
