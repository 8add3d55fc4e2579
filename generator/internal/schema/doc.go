// Package schema turns Go types into plans ([model.Type]) and plans into JSON Schema.
//
// A [Resolver] walks the types of one package in go/types, follows the field rules of
// encoding/json, reads struct tags, doc comments and groups of constants, and refuses types that
// JSON cannot express and declarations that contradict themselves. [InputOf] and [OutputOf] publish
// a plan as JSON Schema, draft 2020-12, in the style that every known client accepts: one object at
// the root, everything inlined, $defs only for a type that contains itself.
//
// One plan has two schemas. The input schema contains every constraint, because the decoder
// enforces it, and its objects are closed. The output schema contains only constraints that every
// encoded Go value meets: a value of a string type with constants may be any string, so its values
// are described there, not enforced. Its objects are open, so that a member may be added to a
// result.
package schema
