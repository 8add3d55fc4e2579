package wire

// IntFrom is [Int] and [Minimum].
func IntFrom[T Integer](d *Decoder, v *T, low T) {
	least, most := intRange[T]()
	if u, ok := d.readInt(least, most); ok {
		*v = T(u)
		Minimum(d, *v, low)
	}
}

// IntWithin is [Int], [Minimum] and [Maximum].
func IntWithin[T Integer](d *Decoder, v *T, low, high T) {
	least, most := intRange[T]()
	if u, ok := d.readInt(least, most); ok {
		*v = T(u)
		Minimum(d, *v, low)
		Maximum(d, *v, high)
	}
}

// StringFrom is [String] and [MinLength].
func StringFrom[T ~string](d *Decoder, v *T, shortest int) {
	String(d, v)
	MinLength(d, *v, shortest)
}

// StringTo is [String] and [MaxLength].
func StringTo[T ~string](d *Decoder, v *T, longest int) {
	String(d, v)
	MaxLength(d, *v, longest)
}

// StringWithin is [String], [MinLength] and [MaxLength].
func StringWithin[T ~string](d *Decoder, v *T, shortest, longest int) {
	String(d, v)
	MinLength(d, *v, shortest)
	MaxLength(d, *v, longest)
}
