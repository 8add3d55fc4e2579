package wire

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// PutReflect writes a value as json.Marshal does, by reflection, for types that generated code
// cannot name; errors in interfaces are written like [PutAny] writes them. Unlike json.Marshal, it
// enforces the limit of the encoder while it writes, limits nesting, and does not escape HTML.
func PutReflect[T any](e *Encoder, v *T) { e.putReflect(reflect.ValueOf(v).Elem()) }

func (e *Encoder) putReflect(v reflect.Value) {
	if !v.IsValid() {
		PutNull(e)
		return
	}
	writerOf(v.Type()).put(e, v)
}

// writer writes the values of one type. Its function is chosen at the first value, so that
// recursive types need no special case.
type writer struct {
	t    reflect.Type
	once sync.Once
	how  func(*Encoder, reflect.Value)
}

var writers sync.Map // *writer by reflect.Type

func writerOf(t reflect.Type) *writer {
	w, ok := writers.Load(t)
	if !ok {
		w, _ = writers.LoadOrStore(t, &writer{t: t})
	}
	return w.(*writer)
}

func (w *writer) put(e *Encoder, v reflect.Value) {
	w.once.Do(func() { w.how = howToPut(w.t, true) })
	w.how(e, v)
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	numberType    = reflect.TypeFor[json.Number]()
	errorType     = reflect.TypeFor[error]()
)

// putDynamic writes the value of an interface, like PutAny.
func (e *Encoder) putDynamic(v reflect.Value) {
	if v.IsValid() && v.Type().Implements(errorType) {
		if err, ok := v.Interface().(error); ok {
			e.putDynamicError(err)
			return
		}
	}
	e.putReflect(v)
}

// putErrorText writes the error in an interface, like PutError. A nil pointer in the interface is
// null, since few Error methods accept one.
func putErrorText(e *Encoder, v reflect.Value) {
	err, ok := v.Interface().(error)
	if !ok || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
		PutNull(e)
		return
	}
	PutError(e, &err)
}

// howToPut returns the function that writes a type: by the methods of the type, or of its pointer
// if the value is addressable, or else by its kind.
func howToPut(t reflect.Type, addressable bool) func(*Encoder, reflect.Value) {
	byPointer := addressable && t.Kind() != reflect.Pointer
	switch {
	case byPointer && reflect.PointerTo(t).Implements(jsonMarshaler):
		return ifAddressable(putJSONAt, howToPut(t, false))
	case t.Implements(jsonMarshaler):
		return putJSONMethod
	case byPointer && reflect.PointerTo(t).Implements(textMarshaler):
		return ifAddressable(putTextAt, howToPut(t, false))
	case t.Implements(textMarshaler):
		return putTextMethod
	}
	return howToPutKind(t)
}

func ifAddressable(then, otherwise func(*Encoder, reflect.Value)) func(*Encoder, reflect.Value) {
	return func(e *Encoder, v reflect.Value) {
		if v.CanAddr() {
			then(e, v)
		} else {
			otherwise(e, v)
		}
	}
}

func putJSONAt(e *Encoder, v reflect.Value) { putJSONMethod(e, v.Addr()) }
func putTextAt(e *Encoder, v reflect.Value) { putTextMethod(e, v.Addr()) }

func putJSONMethod(e *Encoder, v reflect.Value) {
	m, ok := v.Interface().(json.Marshaler)
	if !ok || v.Kind() == reflect.Pointer && v.IsNil() {
		PutNull(e)
		return
	}
	text, err := m.MarshalJSON()
	if err != nil {
		e.Fail(fmt.Errorf("marshal %v: %w", v.Type(), err))
		return
	}
	e.putRaw(text)
}

func putTextMethod(e *Encoder, v reflect.Value) {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok || v.Kind() == reflect.Pointer && v.IsNil() {
		PutNull(e)
		return
	}
	text, err := m.MarshalText()
	if err != nil {
		e.Fail(fmt.Errorf("marshal %v: %w", v.Type(), err))
		return
	}
	e.putString(string(text))
}

func howToPutKind(t reflect.Type) func(*Encoder, reflect.Value) {
	switch t.Kind() {
	case reflect.Bool:
		return func(e *Encoder, v reflect.Value) {
			b := v.Bool()
			PutBool(e, &b)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(e *Encoder, v reflect.Value) {
			n := v.Int()
			PutInt(e, &n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(e *Encoder, v reflect.Value) {
			n := v.Uint()
			PutInt(e, &n)
		}
	case reflect.Float32, reflect.Float64:
		size := t.Bits()
		return func(e *Encoder, v reflect.Value) { e.putFloat(v.Float(), size) }
	case reflect.String:
		if t == numberType {
			return func(e *Encoder, v reflect.Value) { e.putNumber(v.String()) }
		}
		return func(e *Encoder, v reflect.Value) { e.putString(v.String()) }
	case reflect.Interface:
		if t.Implements(errorType) {
			return putErrorText
		}
		return func(e *Encoder, v reflect.Value) { e.putDynamic(v.Elem()) }
	case reflect.Pointer:
		return nested(elements(t).behindPointer)
	case reflect.Slice:
		// Bytes with a marshal method are written as a list.
		if p := reflect.PointerTo(t.Elem()); t.Elem().Kind() == reflect.Uint8 && !p.Implements(jsonMarshaler) && !p.Implements(textMarshaler) {
			return bytesOrNull
		}
		return nested(elements(t).list)
	case reflect.Array:
		return elements(t).list
	case reflect.Map:
		if name := keyText(t.Key()); name != nil {
			return nested(mapWriter{writerOf(t.Elem()), name}.put)
		}
	case reflect.Struct:
		return structWriter(structFields(t)).put
	}
	return func(e *Encoder, _ reflect.Value) { e.Fail(fmt.Errorf("type %v has no JSON form", t)) }
}

// nested writes a value that may be nil, and may contain itself.
func nested(put func(*Encoder, reflect.Value)) func(*Encoder, reflect.Value) {
	return func(e *Encoder, v reflect.Value) {
		switch {
		case v.IsNil():
			PutNull(e)
		case e.Enter():
			put(e, v)
			e.Leave()
		}
	}
}

func bytesOrNull(e *Encoder, v reflect.Value) {
	if v.IsNil() {
		PutNull(e)
		return
	}
	e.putBytes(v.Bytes())
}

// elementWriter writes the elements of a pointer, a slice or an array.
type elementWriter struct{ elem *writer }

func elements(t reflect.Type) elementWriter { return elementWriter{writerOf(t.Elem())} }

func (w elementWriter) behindPointer(e *Encoder, v reflect.Value) { w.elem.put(e, v.Elem()) }

func (w elementWriter) list(e *Encoder, v reflect.Value) {
	e.BeginArray()
	for i := range v.Len() {
		if e.full() && e.stop() {
			return
		}
		w.elem.put(e, v.Index(i))
	}
	e.EndArray()
}

// mapWriter writes maps, sorted by key text.
type mapWriter struct {
	elem *writer
	name func(reflect.Value) (string, error)
}

func (w mapWriter) put(e *Encoder, v reflect.Value) {
	if !e.fits(v.Len()) {
		return
	}
	type member struct {
		name  string
		value reflect.Value
	}
	// Pointers are sorted: programs link the functions that sort pointers in any case, and would
	// link 16 KB more for each struct type.
	members := make([]*member, 0, v.Len())
	for at := v.MapRange(); at.Next(); {
		name, err := w.name(at.Key())
		if err != nil {
			e.Fail(fmt.Errorf("marshal %v: %w", at.Key().Type(), err))
			return
		}
		members = append(members, &member{name, at.Value()})
	}
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(a.name, b.name) })
	e.Begin()
	for i, m := range members {
		if e.full() && e.stop() {
			return
		}
		e.name(m.name)
		if i > 0 && m.name == members[i-1].name {
			e.Fail(errTwice)
			return
		}
		w.elem.put(e, m.value)
	}
	e.End()
}

// keyText returns a function that formats keys of a type; nil for types that cannot be keys.
func keyText(t reflect.Type) func(reflect.Value) (string, error) {
	if t.Kind() == reflect.String {
		return func(v reflect.Value) (string, error) { return v.String(), nil }
	}
	if t.Implements(textMarshaler) {
		return func(v reflect.Value) (string, error) {
			m, ok := v.Interface().(encoding.TextMarshaler)
			if !ok || v.Kind() == reflect.Pointer && v.IsNil() {
				return "", nil
			}
			text, err := m.MarshalText()
			return string(text), err
		}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) (string, error) { return strconv.FormatInt(v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) (string, error) { return strconv.FormatUint(v.Uint(), 10), nil }
	}
	return nil
}

// structWriter writes structs by their fields.
type structWriter []*structField

func (w structWriter) put(e *Encoder, v reflect.Value) {
	e.Begin()
	for _, f := range w {
		at, ok := f.in(v)
		if !ok || f.leftOut(at) {
			continue
		}
		e.Name(f.name)
		start := len(e.buf)
		f.writer.put(e, at)
		if f.isQuoted(at) {
			e.quote(start)
		}
	}
	e.End()
}
