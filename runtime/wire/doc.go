// Package wire implements the JSON reader and writer that generated code calls.
//
// The reader is strict, which is why this is not encoding/json. Beyond RFC 8259 it refuses what
// I-JSON (RFC 7493) forbids and encoding/json accepts with a changed value: duplicate member names
// at every level, invalid UTF-8, and surrogates without a partner. It also refuses nesting deeper
// than a limit.
//
// There are two kinds of problems. Text that is not such JSON is a [SyntaxError]: reading stops
// there. A value that is JSON but violates the schema is a [Violation]: it is recorded with its
// path, its bytes are skipped, and reading goes on, so that one reply can report all problems.
// [Decoder.Finish] returns either.
//
// Functions that read a value have the signature func(*Decoder, *T), and functions that write one
// func(*Encoder, *T), so that they can be arguments of [Slice], [Map], [PutSlice] and others:
//
//	func decodeFilter(d *wire.Decoder, v *Filter) {
//		for o := d.Object(filterFields); o.Next(); {
//			switch o.Name() {
//			case "field":
//				wire.String(d, &v.Field)
//				wire.MinLength(d, v.Field, 1)
//			case "tags":
//				wire.Slice(d, &v.Tags, wire.String[string])
//			}
//		}
//	}
//
// A check such as [MinLength] follows the read of its value directly, and does nothing if that read
// has failed.
//
// Values are decoded as by encoding/json, and encoded to the same JSON values, except nil slices
// and maps, which are empty arrays and objects here. Only [PutAny], [Reflect] and [PutReflect] use
// reflection.
//
// A Decoder and an Encoder serve one goroutine at a time.
package wire
