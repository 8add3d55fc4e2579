package prove

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"time"
)

// fill sets v to a Go value that a function might return, with nil slices, maps and pointers,
// numbers without a JSON form, and invalid text.
func (r *source) fill(v reflect.Value, depth int) {
	if !v.CanSet() {
		return
	}
	if r.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.one(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(pick(r, []int64{0, 1, -1, 127, -128, math.MaxInt64, math.MinInt64, r.Int64N(1000)}))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(pick(r, []uint64{0, 1, 255, math.MaxUint64, uint64(r.IntN(1000))}))
	case reflect.Float32, reflect.Float64:
		f := pick(r, []float64{0, math.Copysign(0, -1), 1, -1.5, 1e20, 1e21, 1e-6, 1e-7, 123456789.125, math.MaxFloat32, math.SmallestNonzeroFloat32, r.NormFloat64()})
		if r.one(60) {
			f = pick(r, []float64{math.NaN(), math.Inf(1), math.Inf(-1)})
		}
		v.SetFloat(f)
	case reflect.String:
		s := pick(r, someTexts)
		if r.one(30) {
			s = "a\xffb\xed\xa0\x80"
		}
		v.SetString(s)
	case reflect.Pointer:
		if !r.one(3) && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if !r.one(3) {
			n := r.IntN(3)
			if depth > 5 {
				n = 0
			}
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		if !r.one(3) {
			v.Set(reflect.MakeMap(v.Type()))
			n := r.IntN(3)
			if depth > 5 {
				n = 0
			}
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				r.fill(key, depth+1)
				r.fill(value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		if r.one(10) && depth > 0 {
			return // the zero value
		}
		for i := range v.NumField() {
			r.fill(v.Field(i), depth+1)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 && !r.one(4) {
			var value any
			if json.Unmarshal(r.anything(maxDepth-1).Append(nil), &value) == nil && value != nil {
				v.Set(reflect.ValueOf(value))
			}
		}
	}
}

// special fills types whose values have further rules than their underlying type.
func (r *source) special(v reflect.Value, _ int) bool {
	if fillOwn(r, v) {
		return true
	}
	switch v.Type() {
	case timeType:
		sec := pick(r, []int64{0, 1709210096, -62135596800, 253402300799, r.Int64N(1 << 32)})
		t := time.Unix(sec, int64(pick(r, []int{0, 1, 500000000, 999999999})))
		zone := pick(r, []*time.Location{time.UTC, time.UTC, time.FixedZone("", 3600), time.FixedZone("", -5*3600-1800)})
		if sec < 0 || sec > 1<<33 {
			zone = time.UTC
		}
		v.Set(reflect.ValueOf(t.In(zone)))
		return true
	case numberType:
		v.SetString(pick(r, []string{"", "0", "1.0", "1e400", "-5", "12345678901234567890"}))
		return true
	case rawType:
		if !r.one(4) {
			v.SetBytes([]byte(pick(r, []string{`null`, `{"a":1}`, "{ \"a\" :\n[1, 2] }", `"<x>"`, `5`, `[]`})))
		}
		return true
	case reflect.TypeFor[netip.Addr]():
		v.Set(reflect.ValueOf(pick(r, []netip.Addr{{}, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("fe80::1%eth0")})))
		return true
	case reflect.TypeFor[big.Int]():
		n, _ := new(big.Int).SetString(pick(r, []string{"0", "-1", "123456789012345678901234567890"}), 10)
		v.Set(reflect.ValueOf(*n))
		return true
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && v.Kind() != reflect.String {
		for range 20 {
			if u.UnmarshalText([]byte(pick(r, textSamples))) == nil {
				return true
			}
		}
		return true
	}
	return false
}

// fillOwn fills types with a JSON form of mcpgen.
func fillOwn(r *source, v reflect.Value) bool {
	if v.Type() == reflect.TypeFor[url.URL]() {
		u, err := url.Parse(pick(r, []string{"", "https://example.com/a?b#c", "mailto:a@b.com", "/path", "http://u:p@h/ü"}))
		if err == nil {
			v.Set(reflect.ValueOf(*u))
		}
		return true
	}
	if err := errors.New(pick(r, someTexts)); v.Kind() == reflect.Interface && v.NumMethod() > 0 && reflect.TypeOf(err).Implements(v.Type()) {
		if !r.one(3) {
			v.Set(reflect.ValueOf(err))
		}
		return true
	}
	return false
}

// textSamples are texts that some UnmarshalText accepts.
var textSamples = []string{
	"a", "1", "on", "off", "low", "high", "10.0.0.1", "10.0.0.0/8", "127.0.0.1:80", "1.5", "x:1", "123e4567-e89b-12d3-a456-426614174000",
	"INFO", "red", "12", "a.b", "00:00:5e:00:53:01", "100", "500m", "mon", "fri", "paperback", "5kg", "rank 7", "#x",
}
