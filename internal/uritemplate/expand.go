package uritemplate

// Value is the value of a variable: one string, or several for a list of path segments. Nil means
// that the variable is undefined.
type Value []string

// Expand expands the template (RFC 6570, section 3). It omits undefined variables, with their
// operators and separators.
func (t *Template) Expand(value func(name string) Value) string {
	var b []byte
	for _, p := range t.parts {
		if p.op == nil {
			b = append(b, p.text...)
			continue
		}
		lead := p.op.first
		for _, v := range p.variables {
			values := value(v.Name)
			if !v.Exploded && len(values) > 1 {
				values = values[:1]
			}
			for _, s := range values {
				b = append(b, lead...)
				lead = p.op.separator
				b = p.op.appendValue(b, v.Name, s)
			}
		}
	}
	return string(b)
}

func (op *operator) appendValue(b []byte, name, s string) []byte {
	if op.named {
		b = append(b, name...)
		if s == "" {
			return append(b, op.ifEmpty...)
		}
		b = append(b, '=')
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isUnreserved(c), op.reserved && (isReserved(c) || isTriplet(s[i:])):
			b = append(b, c)
		default:
			b = appendTriplet(b, c)
		}
	}
	return b
}
