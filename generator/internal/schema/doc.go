// Package schema turns Go types into plans ([model.Type]) and plans into JSON Schema.
//
// A [Resolver] walks the types of one package as go/types has them, follows the field rules of
// encoding/json, reads struct tags, doc comments and groups of constants, and refuses what JSON
// cannot express or what contradicts itself. [InputOf] and [OutputOf] publish a plan as JSON
// Schema, draft 2020-12, in the style that every known client takes: one object at the root,
// everything inlined, $defs only where a type contains itself.
//
// One plan has two schemas. The input schema carries every constraint, because the decoder enforces
// it, and its objects are closed. The output schema carries only what encoding a Go value
// guarantees: a string type with constants can hold any string, so its values are described there,
// not enforced. Its objects are open, so that a member may be added to a result.
package schema
