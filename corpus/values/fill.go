package values

import (
	"math/rand/v2"
	"reflect"
	"time"
)

// fill fills a Go value with random data. Unexported fields stay zero, as do functions, channels,
// and interfaces other than unions.
func (u Unions) fill(r *rand.Rand, v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := []int64{0, 1, -1, 100, 1 << 40, -(1 << 62)}[r.IntN(6)]
		if v.OverflowInt(n) {
			n = 3
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n := []uint64{0, 1, 200, 1 << 33, 1<<64 - 1}[r.IntN(5)]
		if v.OverflowUint(n) {
			n = 3
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, -0.5, 1e20, 1e-7, 3.25}[r.IntN(6)])
	case reflect.String:
		v.SetString(strs[r.IntN(len(strs))])
	case reflect.Pointer:
		if depth < maxDepth && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			u.fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if r.IntN(4) == 0 {
			return // nil
		}
		n := r.IntN(3)
		if depth >= maxDepth {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			u.fill(r, v.Index(i), depth+1)
		}
	case reflect.Interface:
		all := u[v.Type()]
		if len(all) == 0 || depth > 2*maxDepth {
			return
		}
		t := all[r.IntN(len(all))]
		if t.Kind() == reflect.Pointer {
			v.Set(reflect.New(t.Elem()))
			u.fill(r, v.Elem().Elem(), depth+1)
			return
		}
		in := reflect.New(t).Elem()
		u.fill(r, in, depth+1)
		v.Set(in)
	case reflect.Array:
		for i := range v.Len() {
			u.fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		if r.IntN(4) == 0 || depth >= maxDepth {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			u.fill(r, key, depth+1)
			u.fill(r, value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		share := 1 + r.IntN(4)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && (depth == 0 || r.IntN(4) < share) {
				u.fill(r, v.Field(i), depth+1)
			}
		}
	}
}
